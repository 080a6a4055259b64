/** The project: a body of work in a workspace. active ⇄ archived; deleted is final (decisions §14, §15). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/errors.ts'
import { noun } from '../../api/noun.ts'
import { head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/shapes.ts'
import type { ProjectRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Project = Type.Object({
  ...head('project'),
  workspace: Id,
  portfolio: Nullable(Id),
  name: Title,
  description: Nullable(Text),
  status: OneOf('active', 'archived'),
  archived_at: Nullable(Seconds),
  duplicated_from: Nullable(Id),
  revision: Revision,
})

export type Project = Static<typeof Project>

export function showProject(row: ProjectRow): Project {
  return {
    id: row.id,
    object: 'project',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    portfolio: row.portfolio,
    name: row.name,
    description: row.description,
    status: row.status as Project['status'],
    archived_at: row.archived_at === null ? null : seconds(row.archived_at),
    duplicated_from: row.duplicated_from,
    revision: row.revision,
  }
}

export const projectNoun = noun({
  object: 'project',
  prefix: 'prj',
  table: 'projects',
  schema: Project,
  readScope: 'projects:read',
  show: showProject,
})

/** Refuses a write on or below an archived project, and its use as a reference named `param` (decisions §15). */
export function requireActiveProject(project: ProjectRow, param?: string): void {
  if (project.status !== 'archived') return
  throw refuse('resource_conflict', {
    message: 'The project is archived.',
    ...(param === undefined ? {} : { param }),
  })
}

/** What archives or un-archives. */
interface Archival {
  readonly status?: 'active' | 'archived'
  readonly archived_at?: number | null
}

/**
 * The fields to change in a project or portfolio that shall have been archived at this time (milliseconds), or not be
 * archived (`null`). None where it is so already: archiving twice changes nothing, not even the time (decisions §15).
 */
export function archiving(row: Pick<ProjectRow, 'status'>, at: number | null | undefined): Archival {
  if (at === undefined || (at === null) === (row.status === 'active')) return {}
  return at === null ? { status: 'active', archived_at: null } : { status: 'archived', archived_at: at }
}
