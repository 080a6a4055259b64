import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { findReference } from '../../api/references.ts'
import { Id, OneOf } from '../../api/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { requireActive } from '../tasks/queries-change.ts'
import { taskNoun } from '../tasks/task.ts'
import { Dependency, dependency_kinds, showDependency } from './dependency.ts'
import { dependencyCreated } from './events.ts'
import { requireNew, requireNoCycle } from './queries.ts'

/** Makes a task depend on another of its project. The same again, and a cycle of `blocks` and `precedes`, are refused. */
export const createDependency = writeOperation({
  id: 'task_dependencies.create',
  method: 'POST',
  path: '/v1/tasks/{task_id}/dependencies',
  summary: 'Create a dependency',
  scope: 'tasks:write',
  credits: 10,
  parent: taskNoun,
  body: { workspace: Id, to: Id, kind: Type.Optional(OneOf(...dependency_kinds)) },
  returns: Dependency,
  emits: [dependencyCreated],
  example: { params: { task_id: '{task}' }, body: { workspace: '{workspace}', to: '{other_task}', kind: 'blocks' } },
  async handle({ parent, body, caller, tx, now, emit }) {
    requireActive(parent)
    const to = await findReference(taskNoun, { tx, caller }, body.to, 'to', parent.workspace)
    if (to.id === parent.id) {
      throw refuse('invalid_request_body', { param: 'to', message: 'A task cannot depend on itself.' })
    }
    const { project } = parent
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
      workspace: parent.workspace,
      project,
      from: parent.id,
      to: to.id,
      kind: body.kind ?? 'blocks',
      creator_type: caller.owner.type,
      creator_id: caller.owner.id,
    }
    await requireNew(tx, row)
    await requireNoCycle(tx, row)
    tx.insert('dependencies', row)
    const dependency = showDependency(row)
    emit(dependencyCreated, dependency)
    return dependency
  },
})
