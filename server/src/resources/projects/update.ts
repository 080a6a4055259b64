import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Moment, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { millis } from '../../lib/clock.ts'
import { portfolioNoun } from '../portfolios/portfolio.ts'
import { taskUpdated } from '../tasks/events.ts'
import { changeProject } from './change-project.ts'
import { projectArchived, projectUnarchived, projectUpdated } from './events.ts'
import { archiving, Project, projectNoun, requireActiveProject } from './project.ts'

/**
 * Changes a project. A time in `archived_at` archives the project and its tasks at that time, null restores them. Other
 * fields of an archived project cannot be changed.
 */
export const updateProject = writeOperation({
  id: 'projects.update',
  method: 'PATCH',
  path: '/v1/projects/{id}',
  summary: 'Update a project',
  scope: 'projects:write',
  credits: 10,
  target: projectNoun,
  body: {
    name: Type.Optional(Title),
    description: Type.Optional(Text),
    portfolio: Type.Optional(Nullable(Id)),
    archived_at: Type.Optional(Nullable(Moment)),
  },
  returns: Project,
  emits: [projectUpdated, projectArchived, projectUnarchived, taskUpdated],
  example: { params: { id: '{project}' }, body: { name: 'Sidecar containers, beta' } },
  async handle({ target, body, caller, tx, now, emit }) {
    const { name, portfolio, archived_at } = body
    const description = body.description === '' ? null : body.description
    const edits = name !== undefined || description !== undefined || portfolio !== undefined
    if (edits && archived_at !== null) requireActiveProject(target)
    if (portfolio && portfolio !== target.portfolio) {
      await findReference(portfolioNoun, { tx, caller }, portfolio, 'portfolio', target.workspace)
    }
    const archival = archiving(target, typeof archived_at === 'number' ? millis(archived_at) : archived_at)
    return await changeProject({ tx, now, emit }, target, { name, description, portfolio, ...archival })
  },
})
