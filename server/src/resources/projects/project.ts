/** The project: a body of work in a workspace. active ⇄ archived; deleted is final (decisions §14, §15). */
import Type, { type Static } from 'typebox'
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
