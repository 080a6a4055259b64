import { writeOperation } from '../../api/declare/operation.ts'
import { Id } from '../../api/declare/shapes.ts'
import { timeEntryCreated } from './events.ts'
import { createEntry } from './shared/create.ts'
import { entryFields, showTimeEntry, TimeEntry, timeFields } from './time_entry.ts'
import { newTimes } from './times.ts'

/** Records time from two of start, end and duration. With `started_at` alone the entry is running. */
export const createTimeEntry = writeOperation({
  id: 'time_entries.create',
  method: 'POST',
  path: '/v1/time_entries',
  summary: 'Create a time entry',
  scope: 'time_entries:write',
  credits: 10,
  body: { workspace: Id, task: Id, ...entryFields, ...timeFields },
  returns: TimeEntry,
  emits: [timeEntryCreated],
  example: {
    body: { workspace: '{workspace}', task: '{task}', started_at: 1785830400, duration_ms: 5_400_000, billable: true },
  },
  async handle(context) {
    const { body, now, emit } = context
    const entry = showTimeEntry(await createEntry(context, body, newTimes(body, now), 'manual'))
    emit(timeEntryCreated, entry)
    return entry
  },
})
