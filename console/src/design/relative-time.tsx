/** A moment as people say it. */
import { dateTime, relative, useNow } from './time.ts'

interface RelativeTimeProps {
  readonly at: number | null
  /** Shown if `at` is null. */
  readonly none?: string
}

/** A relative time that updates itself, with the exact time as its tooltip. */
export function RelativeTime({ at, none = '—' }: RelativeTimeProps) {
  const now = useNow()
  if (at === null) return <span className="subtle">{none}</span>
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={dateTime(at)} className="numbers">
      {relative(at, now)}
    </time>
  )
}
