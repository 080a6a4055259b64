/** The dependency between two tasks of a project. It never changes, so it has no revision (contract/14#dependency). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Actor, described, head, Id, OneOf } from '../../api/declare/shapes.ts'
import type { DependencyRow, TaskRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const dependency_kinds = ['blocks', 'precedes', 'relates_to', 'duplicates'] as const

export const Dependency = Type.Object({
  ...head('dependency'),
  workspace: described(Id, 'Workspace of both tasks.'),
  project: described(Id, 'Project of both tasks.'),
  from: described(Id, 'Task that the dependency starts from.'),
  to: described(Id, 'Task that it leads to: the blocked, following, related or duplicated one.'),
  kind: described(
    OneOf(...dependency_kinds),
    'Meaning of the dependency. `blocks` and `precedes` together must not form a cycle; `blocks` by default.',
  ),
  creator: described(Actor, 'Who created the dependency.'),
})

export type Dependency = Static<typeof Dependency>

export function showDependency(row: DependencyRow): Dependency {
  return {
    id: row.id,
    object: 'dependency',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    from: row.from,
    to: row.to,
    kind: row.kind as Dependency['kind'],
    creator: { type: row.creator_type, id: row.creator_id },
  }
}

export const dependencyNoun = noun({
  object: 'dependency',
  prefix: 'dep',
  table: 'dependencies',
  schema: Dependency,
  readScope: 'tasks:read',
  // Both tasks are in this project.
  guests: { column: 'project', of: 'projects' },
  show: showDependency,
})

/** A dependency is found only below the path of its `from` task (contract/06#nested-ids). */
export function isFromTask(dependency: DependencyRow, task: TaskRow): boolean {
  return dependency.from === task.id
}
