import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { projectUpdated } from '../projects/events.ts'
import { showProject } from '../projects/project.ts'
import { portfolioDeleted } from './events.ts'
import { portfolioNoun, showPortfolio } from './portfolio.ts'
import { detachProjects, projectsOf } from './queries.ts'

/** Deletes a portfolio. Its projects, archived ones included, remain without a portfolio. */
export const deletePortfolio = writeOperation({
  id: 'portfolios.delete',
  method: 'DELETE',
  path: '/v1/portfolios/{id}',
  summary: 'Delete a portfolio',
  scope: 'projects:write',
  credits: 10,
  confirmed: true,
  target: portfolioNoun,
  returns: Deleted('portfolio'),
  emits: [portfolioDeleted, projectUpdated],
  example: { params: { id: '{portfolio}' } },
  async handle({ target, tx, now, emit }) {
    const bound = { realm: target.realm, portfolio: target.id }
    const projects = await tx.all(projectsOf, bound)
    markDeleted(tx, 'portfolios', target, now)
    emit(portfolioDeleted, showPortfolio(target))
    if (projects.length > 0) tx.write(detachProjects, { ...bound, updated: now })
    for (const project of projects) {
      const detached = { ...project, portfolio: null, updated: now, revision: project.revision + 1 }
      emit(projectUpdated, showProject(detached), showProject(project))
    }
    return { id: target.id, object: 'portfolio', deleted: true }
  },
})
