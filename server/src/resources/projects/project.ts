/** The project: work in a workspace. active ⇄ archived; deleted is final (contract/14#project). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { noun } from '../../api/declare/noun.ts'
import { described, head, Id, Nullable, OneOf, Revision, Seconds, Text, Title } from '../../api/declare/shapes.ts'
import type { ProjectRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const Project = Type.Object({
  ...head('project'),
  workspace: described(Id, 'Workspace of the project.'),
  portfolio: described(Nullable(Id), 'Portfolio that the project belongs to; null for none.'),
  name: described(Title, 'Name of the project.'),
  description: described(Nullable(Text), 'What the project is for; null if unset.'),
  status: described(OneOf('active', 'archived'), 'An archived project and its tasks are read-only.'),
  archived_at: described(
    Nullable(Seconds),
    'When the project was archived, in Unix seconds; null if active. Send null to restore it.',
  ),
  duplicated_from: described(Nullable(Id), 'Project that this one was duplicated from; null if none.'),
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
  guests: { column: 'id', of: 'projects' },
  show: showProject,
})

/** Refuses writes on or below an archived project, and references to it (contract/15#archived-projects). */
export function requireActiveProject(project: ProjectRow, param?: string): void {
  if (project.status !== 'archived') return
  throw refuse('resource_conflict', {
    message: 'The project is archived.',
    ...(param === undefined ? {} : { param }),
  })
}

/** The columns that archiving and restoring change. */
interface Archival {
  readonly status?: 'active' | 'archived'
  readonly archived_at?: number | null
}

/**
 * The columns to change so that a project or portfolio is archived at this time (milliseconds) or, with null, active. Empty
 * if it already is: archiving again keeps the first time (contract/15#project-archiving).
 */
export function archiving(row: Pick<ProjectRow, 'status'>, at: number | null | undefined): Archival {
  if (at === undefined || (at === null) === (row.status === 'active')) return {}
  return at === null ? { status: 'active', archived_at: null } : { status: 'archived', archived_at: at }
}
