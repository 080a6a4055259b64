/** Creates dependencies for the API and automations, so that both follow the same rules. */
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import type { DependencyRow, TaskRow } from '../../../db/schema.ts'
import { newId } from '../../../lib/ids.ts'
import { requireActive } from '../../tasks/shared/change.ts'
import type { TaskWork } from '../../tasks/shared/create.ts'
import { taskNoun } from '../../tasks/task.ts'
import { type dependency_kinds, showDependency } from '../dependency.ts'
import { dependencyCreated } from '../events.ts'
import { requireNew, requireNoCycle } from '../queries.ts'

/**
 * Creates a dependency between two tasks of a project, emits `workflow.dependency.created` and returns the row. Refuses a
 * duplicate and a cycle of `blocks` and `precedes`.
 */
export async function createDependency(
  { tx, caller, now, emit }: TaskWork,
  from: TaskRow,
  sent: { readonly to: string; readonly kind?: (typeof dependency_kinds)[number] },
): Promise<DependencyRow> {
  requireActive(from)
  const to = await findReference(taskNoun, { tx, caller }, sent.to, 'to', from.workspace)
  if (to.id === from.id) {
    throw refuse('invalid_request_body', { param: 'to', message: 'A task cannot depend on itself.' })
  }
  const { project } = from
  if (project === null || to.project !== project) {
    throw refuse('resource_conflict', { param: 'to', message: 'Both tasks must be in the same project.' })
  }
  const row = {
    realm: caller.realm,
    id: newId('dep', now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
    workspace: from.workspace,
    project,
    from: from.id,
    to: to.id,
    kind: sent.kind ?? 'blocks',
    creator_type: caller.owner.type,
    creator_id: caller.owner.id,
  }
  await requireNew(tx, row)
  await requireNoCycle(tx, row)
  tx.insert('dependencies', row)
  emit(dependencyCreated, showDependency(row))
  return row
}
