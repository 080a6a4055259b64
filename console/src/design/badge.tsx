/** A label with a tone. The tone never adds meaning to the text, for users who cannot see it. */
import './badge.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad' | 'info' | 'violet'

interface BadgeProps {
  readonly tone?: Tone
  readonly icon?: LucideIcon
  /** Shows a dot before the text. */
  readonly dot?: boolean
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', icon: Icon, dot, children }: BadgeProps) {
  return (
    <span className="badge" data-tone={tone}>
      {dot && <span className="badge-dot" />}
      {Icon && <Icon aria-hidden="true" className="badge-icon" />}
      <span className="cut">{children}</span>
    </span>
  )
}
