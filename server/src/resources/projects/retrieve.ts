import { readOperation } from '../../api/declare/operation.ts'
import { Project, projectNoun, showProject } from './project.ts'

/** Shows a project, archived or not. */
export const retrieveProject = readOperation({
  id: 'projects.retrieve',
  method: 'GET',
  path: '/v1/projects/{id}',
  summary: 'Retrieve a project',
  scope: 'projects:read',
  credits: 1,
  target: projectNoun,
  returns: Project,
  example: { params: { id: '{project}' } },
  handle: ({ target }) => showProject(target),
})
