/** A message in the page. Results of actions are toasts. */
import './notice.css'
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

interface NoticeProps {
  readonly tone?: 'info' | 'good' | 'warn' | 'bad'
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

const icons = { info: Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert }

export function Notice({ tone = 'info', title, children, actions }: NoticeProps) {
  const Icon = icons[tone]
  return (
    <div className="notice" data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon aria-hidden="true" className="notice-icon" />
      <div className="grow">
        {title && <p className="notice-title">{title}</p>}
        {children && <div className="notice-text">{children}</div>}
        {actions && <div className="notice-actions">{actions}</div>}
      </div>
    </div>
  )
}
