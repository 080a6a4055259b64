/** The facts with which graphs and corrected steps are checked: event types, states, priorities, filters. */
import { eventTypes } from '../../../api/declare/event.ts'
import type { Known } from '../../../automations/known.ts'
import { readFilter } from '../../tasks/shared/filter.ts'
import { task_priorities, task_statuses } from '../../tasks/task.ts'

const saved_filter = /^flt_[0-9A-Z]{26}$/

/** `now_ms`: the time from which schedules and filters are checked. */
export function knownAt(now_ms: number): Known {
  return {
    event_types: new Map([...eventTypes].map(([type, { noun }]) => [type, noun.readScope])),
    task_statuses,
    task_priorities,
    now_ms,
    filterFault(filter) {
      if (saved_filter.test(filter)) return 'it is the id of a saved filter; write its expression'
      const read = readFilter(filter, now_ms)
      // The sentence around it ends with the full stop.
      return read.ok ? undefined : read.message.replace(/\.$/, '')
    },
  }
}
