/** Creates, starts and stops time entries for the API and automations, so that both follow the same rules. */

import type Type from 'typebox'
import type { Static } from 'typebox'
import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { EventType } from '../../../api/declare/event.ts'
import { findReference } from '../../../api/request/references.ts'
import { applyChange } from '../../../api/write/change.ts'
import type { TimeEntryRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { requireUsableProject } from '../../projects/shared/usable.ts'
import { workspaceNoun } from '../../workspaces/workspace.ts'
import { timeEntryStarted, timeEntryStopped } from '../events.ts'
import { type entryFields, showTimeEntry } from '../time_entry.ts'
import { startedTimes, stoppedTimes, type Times } from '../times.ts'
import { requireNoneRunning, requireUnarchived, requireUsableTask, requireUsableUser } from './queries.ts'

type Fields = Static<Type.TObject<typeof entryFields>> & { readonly workspace: string; readonly task: string }

interface Work {
  readonly tx: Tx
  readonly caller: Caller
  readonly now: number
}

/** Inserts an entry and returns its row. Defaults: the project of the task, not billable. */
export async function createEntry(
  work: Work,
  fields: Fields,
  times: Times,
  source: 'timer' | 'manual',
): Promise<TimeEntryRow> {
  const { tx, caller, now } = work
  const workspace = await findReference(workspaceNoun, work, fields.workspace, 'workspace')
  const task = await requireUsableTask(work, fields.task, workspace.id)
  if (fields.project) await requireUsableProject(work, fields.project, workspace.id)
  const user = await requireUsableUser(work, fields.user)
  if (times.status === 'running') await requireNoneRunning(tx, caller.realm, user)
  const row = {
    realm: caller.realm,
    id: newId('tme', now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
    workspace: workspace.id,
    task: task.id,
    project: fields.project === undefined ? task.project : fields.project,
    user,
    ...times,
    note: fields.note || null,
    billable: fields.billable ? 1 : 0,
    source,
  }
  tx.insert('time_entries', row)
  return row
}

interface EntryWork extends Work {
  emit(event: EventType, after: object, before?: object): void
}

/** Starts an entry now, emits `workflow.time_entry.started` and returns its row. `duration_ms` is time already worked. */
export async function startEntry(
  work: EntryWork,
  fields: Fields & { readonly duration_ms?: number },
): Promise<TimeEntryRow> {
  const row = await createEntry(work, fields, startedTimes(fields.duration_ms ?? 0, work.now), 'timer')
  work.emit(timeEntryStarted, showTimeEntry(row))
  return row
}

/** Stops a running entry now, emits `workflow.time_entry.stopped` and returns its row. Refuses a stopped entry. */
export async function stopEntry(work: EntryWork, entry: TimeEntryRow): Promise<TimeEntryRow> {
  const { tx, caller, now, emit } = work
  if (entry.status !== 'running') {
    throw refuse('resource_conflict', { message: 'This time entry is not running.' })
  }
  await requireUnarchived({ tx, caller }, entry)
  const stopped = applyChange(tx, 'time_entries', entry, stoppedTimes(entry, now), now)
  if (stopped === null) return entry
  emit(timeEntryStopped, showTimeEntry(stopped), showTimeEntry(entry))
  return stopped
}
