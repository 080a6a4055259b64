/** Importing tasks: what was imported before is found by its id in the source, the rest is created (contract/17#imports). */
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import { millis } from '../../../lib/clock.ts'
import { userNoun } from '../../members/member.ts'
import type { NewTask } from '../task.ts'
import { createTasks, type TaskOrigin, type TaskWork } from './create.ts'

/** A task as the source has it; times in Unix seconds. */
export interface SourceTask extends NewTask {
  readonly external_id: string
  readonly version?: string
  readonly created?: number
  readonly creator?: string
}

export interface Imported {
  readonly external_id: string
  readonly task: string
  readonly key: string
  readonly outcome: 'created' | 'unchanged' | 'changed' | 'deleted'
}

/** Creates the tasks that were not imported before, all or none, and returns what each external id stands for. */
export async function importTasks(
  work: TaskWork,
  workspace: string,
  source: string,
  data: readonly SourceTask[],
): Promise<Imported[]> {
  const { tx, caller, now } = work
  refuseRepeats(data)
  const place = { realm: caller.realm, workspace, source }
  const known = await Promise.all(data.map(({ external_id }) => tx.first(findImported, { ...place, external_id })))
  const drafts = []
  for (const [i, { external_id, version, created, creator, ...fields }] of data.entries()) {
    if (known[i] !== undefined) continue
    const prefix = `data[${i}].`
    const origin = await originOf(work, { created, creator }, prefix)
    drafts.push({ external_id, version, fields, prefix, origin })
  }
  const made = drafts.length === 0 ? [] : await createTasks(work, workspace, drafts)
  const created = new Map<string, Imported>()
  for (const [i, { external_id, version = null }] of drafts.entries()) {
    const { id: task, key } = (made[i] as (typeof made)[number]).row
    tx.insert('imported_tasks', { ...place, external_id, task, version, created: now })
    created.set(external_id, { external_id, task, key, outcome: 'created' })
  }
  return data.map(({ external_id, version }, i) => {
    const row = known[i]
    if (row === undefined) return created.get(external_id) as Imported
    const outcome = row.deleted_at !== null ? 'deleted' : isChanged(row.version, version) ? 'changed' : 'unchanged'
    return { external_id, task: row.task, key: row.key, outcome }
  })
}

/** Without a version on either side nothing can be compared. */
const isChanged = (before: string | null, now: string | undefined): boolean =>
  before !== null && now !== undefined && before !== now

function refuseRepeats(data: readonly SourceTask[]): void {
  const seen = new Set<string>()
  for (const [i, { external_id }] of data.entries()) {
    if (seen.has(external_id)) {
      const param = `data[${i}].external_id`
      const message = `${param} "${external_id}" stands in data before. Send each external id once.`
      throw refuse('invalid_request_body', { param, message })
    }
    seen.add(external_id)
  }
}

/** A member of any status may have created a task. Nothing is created in the future. */
async function originOf(
  work: TaskWork,
  { created, creator }: { readonly created: number | undefined; readonly creator: string | undefined },
  prefix: string,
): Promise<TaskOrigin> {
  if (created !== undefined && millis(created) > work.now) {
    const param = `${prefix}created`
    throw refuse('invalid_request_body', { param, message: `${param} ${created} is in the future.` })
  }
  if (creator !== undefined) await findReference(userNoun, work, creator, `${prefix}creator`)
  return {
    ...(created === undefined ? {} : { created: millis(created) }),
    ...(creator === undefined ? {} : { creator: { type: 'user', id: creator } }),
  }
}

type Sought = { realm: number; workspace: string; source: string; external_id: string }

const findImported = query((db, p: Placeholder<Sought>) =>
  db
    .selectFrom('imported_tasks')
    .innerJoin('tasks', (join) =>
      join.onRef('tasks.realm', '=', 'imported_tasks.realm').onRef('tasks.id', '=', 'imported_tasks.task'),
    )
    .select(['imported_tasks.task', 'imported_tasks.version', 'tasks.key', 'tasks.deleted_at'])
    .where('imported_tasks.realm', '=', p('realm'))
    .where('imported_tasks.workspace', '=', p('workspace'))
    .where('imported_tasks.source', '=', p('source'))
    .where('imported_tasks.external_id', '=', p('external_id')),
)
