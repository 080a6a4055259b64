/** The frame of pages for people who are not signed in. */
import './public-frame.css'
import type { ReactNode } from 'react'
import { usePageTitle } from '../design/index.ts'
import { t } from '../language/index.ts'

interface PublicFrameProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children: ReactNode
  /** Below the card. */
  readonly foot?: ReactNode
}

export function PublicFrame({ title, description, children, foot }: PublicFrameProps) {
  usePageTitle(title)
  return (
    <main className="public">
      <div className="public-column">
        <p className="public-brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          {t('Atrium')}
        </p>
        <div className="public-card">
          <h1 className="public-title">{title}</h1>
          {description && <p className="public-description">{description}</p>}
          <div className="public-body">{children}</div>
        </div>
        {foot && <div className="public-foot">{foot}</div>}
      </div>
    </main>
  )
}
