/**
 * The parts of a page: Page with title, actions and tabs; Section with a heading; Card, a framed surface; Facts, a list of
 * names and values; Stat, a number with a label.
 */
import './page.css'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { usePageTitle } from './page-title.ts'

interface PageProps {
  readonly title: string
  /** Shows the title to screen readers only, because the content has its own. */
  readonly hiddenTitle?: true
  /** One sentence under the title. */
  readonly description?: ReactNode
  /** Links above the title: the page's ancestors. */
  readonly trail?: ReactNode
  /** A small button right after the title. */
  readonly beside?: ReactNode
  /** Buttons right of the title. */
  readonly actions?: ReactNode
  /** Under the title: LinkTabs, or filters. */
  readonly tabs?: ReactNode
  /** `narrow` for forms and text, `full` for boards and large lists. */
  readonly width?: 'narrow' | 'wide' | 'full'
  /** Limits the page to the window's height; its content scrolls. */
  readonly fixed?: boolean
  readonly children?: ReactNode
}

export function Page({ title, beside, description, trail, actions, tabs, children, ...look }: PageProps) {
  const { width = 'wide', fixed, hiddenTitle } = look
  usePageTitle(title)
  return (
    <div className="page" data-width={width} data-fixed={fixed || undefined}>
      <header className="page-head" data-tabs={tabs ? true : undefined}>
        {trail && !hiddenTitle && <div className="page-trail">{trail}</div>}
        <div className="page-line">
          <div className="grow">
            {trail && hiddenTitle && <div className="page-trail">{trail}</div>}
            <div className="page-heading">
              <h1 className={hiddenTitle ? 'unseen' : 'page-title'}>{title}</h1>
              {beside}
            </div>
            {description && <p className="page-description">{description}</p>}
          </div>
          {actions && <div className="page-actions">{actions}</div>}
        </div>
        {tabs && <div className="page-tabs">{tabs}</div>}
      </header>
      <div className="page-content">{children}</div>
    </div>
  )
}

interface SectionProps {
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  readonly id?: string
}

export function Section({ title, description, actions, children, id }: SectionProps) {
  return (
    <section className="section" id={id}>
      <div className="section-head">
        <div className="grow">
          <h2 className="section-title">{title}</h2>
          {description && <p className="section-description">{description}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

interface CardProps {
  readonly children: ReactNode
  /** Without padding, for lists up to the edge. */
  readonly flush?: boolean
  /** A footer, usually with the Save button. */
  readonly foot?: ReactNode
  readonly className?: string
}

export function Card({ children, flush, foot, className }: CardProps) {
  return (
    <div className={classes('card', className)}>
      <div className="card-body" data-flush={flush || undefined}>
        {children}
      </div>
      {foot && <div className="card-foot">{foot}</div>}
    </div>
  )
}

/** A list of names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="facts">{children}</dl>
}

export function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

export function Stat({ label, value, hint }: { label: string; value: ReactNode; hint?: ReactNode }) {
  return (
    <div className="stat">
      <div className="stat-label">{label}</div>
      <div className="stat-value numbers">{value}</div>
      {hint && <div className="stat-hint">{hint}</div>}
    </div>
  )
}
