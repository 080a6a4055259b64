import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { timeEntryStopped, timeEntryUpdated } from './events.ts'
import { requireNoneRunning, requireUnarchived, requireUsableTask, requireUsableUser } from './shared/queries.ts'
import { entryFields, showTimeEntry, TimeEntry, timeEntryNoun, timeFields } from './time_entry.ts'
import { changedTimes } from './times.ts'

/** Changes a time entry; two of its times determine the third. An end or a duration stops a running entry. */
export const updateTimeEntry = writeOperation({
  id: 'time_entries.update',
  method: 'PATCH',
  path: '/v1/time_entries/{id}',
  summary: 'Update a time entry',
  scope: 'time_entries:write',
  credits: 10,
  target: timeEntryNoun,
  body: { task: Type.Optional(Nullable(Id)), ...entryFields, ...timeFields },
  returns: TimeEntry,
  emits: [timeEntryUpdated, timeEntryStopped],
  example: { params: { id: '{time_entry}' }, body: { note: 'Reviewed the API', billable: true } },
  async handle({ target, body, caller, tx, now, emit }) {
    const from = { tx, caller }
    await requireUnarchived(from, target)
    const times = changedTimes(target, body, now)
    let { task, project } = body
    if (task && task !== target.task) task = (await requireUsableTask(from, task, target.workspace)).id
    if (project && project !== target.project)
      project = (await requireUsableProject(from, project, target.workspace)).id
    const stays = body.user === undefined || body.user === target.user
    const user = stays ? target.user : await requireUsableUser(from, body.user)
    const runs = (times.status ?? target.status) === 'running'
    if (runs && user !== target.user) await requireNoneRunning(tx, caller.realm, user)
    const note = body.note === '' ? null : body.note
    const billable = body.billable === undefined ? undefined : Number(body.billable)
    const changed = applyChange(tx, 'time_entries', target, { ...times, task, project, user, note, billable }, now)
    if (changed === null) return showTimeEntry(target)
    const event = changed.status === target.status ? timeEntryUpdated : timeEntryStopped
    emit(event, showTimeEntry(changed), showTimeEntry(target))
    return showTimeEntry(changed)
  },
})
