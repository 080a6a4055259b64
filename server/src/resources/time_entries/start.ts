import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Amount, Id } from '../../api/declare/shapes.ts'
import { timeEntryStarted } from './events.ts'
import { startEntry } from './shared/create.ts'
import { entryFields, showTimeEntry, TimeEntry } from './time_entry.ts'

/** Starts a time entry now. `duration_ms` is time already worked. A user has at most one running entry. */
export const startTimeEntry = writeOperation({
  id: 'time_entries.start',
  method: 'POST',
  path: '/v1/time_entries/start',
  summary: 'Start a time entry',
  scope: 'time_entries:write',
  credits: 10,
  body: { workspace: Id, task: Id, ...entryFields, duration_ms: Type.Optional(Amount) },
  returns: TimeEntry,
  emits: [timeEntryStarted],
  example: { body: { workspace: '{workspace}', task: '{task}', note: 'Pairing' } },
  async handle(context) {
    return showTimeEntry(await startEntry(context, context.body))
  },
})
