import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { timeEntryDeleted } from './events.ts'
import { requireUnarchived } from './shared/queries.ts'
import { showTimeEntry, timeEntryNoun } from './time_entry.ts'

/** Deletes a time entry, also a running one. Its id then answers 410. */
export const deleteTimeEntry = writeOperation({
  id: 'time_entries.delete',
  method: 'DELETE',
  path: '/v1/time_entries/{id}',
  summary: 'Delete a time entry',
  scope: 'time_entries:write',
  credits: 10,
  target: timeEntryNoun,
  returns: Deleted('time_entry'),
  emits: [timeEntryDeleted],
  example: { params: { id: '{time_entry}' } },
  async handle({ target, caller, tx, now, emit }) {
    await requireUnarchived({ tx, caller }, target)
    markDeleted(tx, 'time_entries', target, now)
    emit(timeEntryDeleted, showTimeEntry(target))
    return { id: target.id, object: 'time_entry', deleted: true }
  },
})
