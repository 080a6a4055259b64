import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { portfolioNoun } from '../portfolios/portfolio.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { projectCreated } from './events.ts'
import { Project, showProject } from './project.ts'

/** Creates a project in a workspace. Its portfolio must belong to the same workspace. */
export const createProject = writeOperation({
  id: 'projects.create',
  method: 'POST',
  path: '/v1/projects',
  summary: 'Create a project',
  scope: 'projects:write',
  credits: 10,
  body: {
    workspace: Id,
    name: Title,
    description: Type.Optional(Text),
    portfolio: Type.Optional(Nullable(Id)),
  },
  returns: Project,
  emits: [projectCreated],
  example: { body: { workspace: '{workspace}', name: 'Sidecar containers' } },
  async handle({ body, caller, tx, now, emit }) {
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    if (body.portfolio) await findReference(portfolioNoun, { tx, caller }, body.portfolio, 'portfolio', workspace.id)
    const row = {
      realm: caller.realm,
      id: newId('prj', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      portfolio: body.portfolio ?? null,
      name: body.name,
      description: body.description || null,
      status: 'active',
      archived_at: null,
      duplicated_from: null,
    }
    tx.insert('projects', row)
    const project = showProject(row)
    emit(projectCreated, project)
    return project
  },
})
