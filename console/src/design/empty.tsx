/** An empty state: what belongs here and the first step. */
import './empty.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface EmptyProps {
  readonly icon?: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  /** The first step and at most one alternative. */
  readonly actions?: ReactNode
  /** Without a frame. */
  readonly plain?: boolean
}

export function Empty({ icon: Icon, title, children, actions, plain }: EmptyProps) {
  return (
    <div className="empty" data-plain={plain || undefined}>
      {Icon && (
        <span className="empty-icon">
          <Icon aria-hidden="true" />
        </span>
      )}
      <p className="empty-title">{title}</p>
      {children && <div className="empty-text">{children}</div>}
      {actions && <div className="empty-actions">{actions}</div>}
    </div>
  )
}
