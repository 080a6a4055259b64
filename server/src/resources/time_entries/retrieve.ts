import { readOperation } from '../../api/declare/operation.ts'
import { showTimeEntry, TimeEntry, timeEntryNoun } from './time_entry.ts'

/** Shows a time entry. */
export const retrieveTimeEntry = readOperation({
  id: 'time_entries.retrieve',
  method: 'GET',
  path: '/v1/time_entries/{id}',
  summary: 'Retrieve a time entry',
  scope: 'time_entries:read',
  credits: 1,
  target: timeEntryNoun,
  returns: TimeEntry,
  example: { params: { id: '{time_entry}' } },
  handle: ({ target }) => showTimeEntry(target),
})
