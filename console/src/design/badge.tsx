/** A word about a state. The tone repeats what the word says, never more. */
import './badge.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'accent' | 'good' | 'warn' | 'bad' | 'info' | 'violet'

interface BadgeProps {
  readonly tone?: Tone
  readonly icon?: LucideIcon
  /** A dot before the word. */
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
