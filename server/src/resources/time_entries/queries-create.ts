/** Making time entries: shared by create and start, so that both obey the same rules. */

import type Type from 'typebox'
import type { Static } from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { findReference } from '../../api/references.ts'
import type { TimeEntryRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { requireUsableProject } from '../projects/queries-usable.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { requireNoneRunning, usableTask, usableUser } from './queries.ts'
import type { entryFields } from './time_entry.ts'
import type { Times } from './times.ts'

type Fields = Static<Type.TObject<typeof entryFields>> & { readonly workspace: string; readonly task: string }

interface Work {
  readonly tx: Tx
  readonly caller: Caller
  readonly now: number
}

/** Writes a new entry and returns its row; the task's project unless another is named, nobody is billed unasked. */
export async function createEntry(
  work: Work,
  fields: Fields,
  times: Times,
  source: 'timer' | 'manual',
): Promise<TimeEntryRow> {
  const { tx, caller, now } = work
  const workspace = await findReference(workspaceNoun, work, fields.workspace, 'workspace')
  const task = await usableTask(work, fields.task, workspace.id)
  if (fields.project) await requireUsableProject(work, fields.project, workspace.id)
  const user = await usableUser(work, fields.user)
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
