/** The status of any object as a badge: its words, and the one tone that this status has everywhere. */
import { Badge, type Tone } from './badge.tsx'
import { inWords } from './words.ts'

const statuses: Readonly<Partial<Record<Tone, readonly string[]>>> = {
  good: [
    'active',
    'approved',
    'completed',
    'current',
    'done',
    'enabled',
    'finalized',
    'ok',
    'succeeded',
    'would_run',
    'would_start',
  ],
  info: ['in_progress', 'queued', 'ready', 'running', 'submitted'],
  violet: ['in_review', 'reimbursed', 'sleeping', 'would_wait'],
  warn: ['late', 'paused', 'pending', 'retrying', 'stale', 'unknown'],
  bad: ['blocked', 'disabled', 'expired', 'failed', 'failing', 'rejected', 'void'],
}

const tones = new Map(Object.entries(statuses).flatMap(([tone, names]) => names.map((name) => [name, tone as Tone])))

/** Neutral for a status that is not listed, such as `draft` or `canceled`. */
export function toneOf(status: string): Tone {
  return tones.get(status) ?? 'neutral'
}

export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge tone={toneOf(status)} dot>
      {inWords(status)}
    </Badge>
  )
}
