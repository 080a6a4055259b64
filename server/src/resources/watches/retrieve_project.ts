import { readOperation } from '../../api/declare/operation.ts'
import { projectNoun } from '../projects/project.ts'
import { showProjectWatch } from './shared.ts'
import { Watch } from './watch.ts'

/** Shows who watches a project, and so all of its tasks. */
export const retrieveProjectWatch = readOperation({
  id: 'project_watch.retrieve',
  method: 'GET',
  path: '/v1/projects/{id}/watch',
  summary: 'Retrieve who watches a project',
  scope: 'projects:read',
  credits: 1,
  extension: true,
  target: projectNoun,
  returns: Watch,
  example: { params: { id: '{project}' } },
  handle: ({ reader, caller, target }) => showProjectWatch(reader, caller, target),
})
