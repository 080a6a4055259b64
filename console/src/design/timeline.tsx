/** A vertical list of events: attempts, steps, history. */
import './timeline.css'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Tone } from './badge.tsx'

export interface TimelineEntry {
  readonly key: string
  readonly title: ReactNode
  readonly time?: ReactNode
  readonly tone?: Tone
  readonly icon?: LucideIcon
  readonly children?: ReactNode
  /** The entry that a link has led to. */
  readonly isCurrent?: boolean
}

export function Timeline({ label, entries }: { readonly label: string; readonly entries: readonly TimelineEntry[] }) {
  return (
    <ol className="timeline" aria-label={label}>
      {entries.map(({ key, title, time, tone = 'neutral', icon: Icon, children, isCurrent = false }) => (
        <li className="timeline-entry" key={key} aria-current={isCurrent ? 'step' : undefined}>
          <span className="timeline-mark" data-tone={tone} data-icon={Icon ? true : undefined}>
            {Icon && <Icon aria-hidden="true" />}
          </span>
          <div className="timeline-content">
            <div className="timeline-head">
              <div className="timeline-title">{title}</div>
              {time && <div className="timeline-time">{time}</div>}
            </div>
            {children && <div className="timeline-body">{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  )
}
