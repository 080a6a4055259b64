import { applyChange } from '../../api/change.ts'
import { refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { timeEntryStopped } from './events.ts'
import { requireUnarchived } from './queries.ts'
import { showTimeEntry, TimeEntry, timeEntryNoun } from './time_entry.ts'
import { stoppedTimes } from './times.ts'

/** Stops a running entry now; its duration is what was worked before and since. A stopped one is refused. */
export const stopTimeEntry = writeOperation({
  id: 'time_entries.stop',
  method: 'POST',
  path: '/v1/time_entries/{id}/stop',
  summary: 'Stop a time entry',
  scope: 'time_entries:write',
  credits: 10,
  target: timeEntryNoun,
  returns: TimeEntry,
  emits: [timeEntryStopped],
  example: { params: { id: '{running_time_entry}' } },
  async handle({ target, caller, tx, now, emit }) {
    if (target.status !== 'running') {
      throw refuse('resource_conflict', { message: 'This time entry is not running.' })
    }
    await requireUnarchived({ tx, caller }, target)
    const stopped = applyChange(tx, 'time_entries', target, stoppedTimes(target, now), now)
    if (stopped !== null) emit(timeEntryStopped, showTimeEntry(stopped), showTimeEntry(target))
    return showTimeEntry(stopped ?? target)
  },
})
