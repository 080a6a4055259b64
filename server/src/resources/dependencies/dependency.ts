/** The dependency between two tasks of one project. It never changes, so it has no revision (decisions §14, §15). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, head, Id, OneOf } from '../../api/shapes.ts'
import type { DependencyRow, TaskRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const dependency_kinds = ['blocks', 'precedes', 'relates_to', 'duplicates'] as const

export const Dependency = Type.Object({
  ...head('dependency'),
  workspace: Id,
  project: Id,
  from: Id,
  to: Id,
  kind: OneOf(...dependency_kinds),
  creator: Actor,
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
  show: showDependency,
})

/** A dependency counts only below the path of the task it starts from (decisions §6). */
export function isFromTask(dependency: DependencyRow, task: TaskRow): boolean {
  return dependency.from === task.id
}
