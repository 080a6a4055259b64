import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, OneOf } from '../../api/declare/shapes.ts'
import { taskNoun } from '../tasks/task.ts'
import { Dependency, dependency_kinds, showDependency } from './dependency.ts'
import { dependencyCreated } from './events.ts'
import { createDependency as create } from './shared/create.ts'

/** Creates a dependency between two tasks of a project. A duplicate and a cycle of `blocks` and `precedes` are refused. */
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
  async handle(context) {
    const { to, kind } = context.body
    return showDependency(await create(context, context.parent, { to, ...(kind === undefined ? {} : { kind }) }))
  },
})
