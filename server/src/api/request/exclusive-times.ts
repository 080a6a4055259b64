/** The exclusive times of lists, in whole seconds, as the milliseconds that they include and exclude (contract/09#audit-filters). */
import { millis } from '../../lib/clock.ts'
import { limits } from '../limits.ts'

interface ExclusiveTimes {
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
}

/** `from` is included, `until` is not. */
export function exclusiveTimes({ created_after, created_before }: ExclusiveTimes) {
  const toMillis = (seconds: number) => millis(Math.min(seconds, limits.moment_seconds_max))
  return {
    from: created_after === undefined ? undefined : toMillis(created_after + 1),
    until: created_before === undefined ? undefined : toMillis(created_before),
  }
}
