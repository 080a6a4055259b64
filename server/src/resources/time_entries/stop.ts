import { writeOperation } from '../../api/declare/operation.ts'
import { timeEntryStopped } from './events.ts'
import { stopEntry } from './shared/create.ts'
import { showTimeEntry, TimeEntry, timeEntryNoun } from './time_entry.ts'

/** Stops a running entry now. Its duration includes time worked before the start. A stopped entry answers 409. */
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
  async handle(context) {
    return showTimeEntry(await stopEntry(context, context.target))
  },
})
