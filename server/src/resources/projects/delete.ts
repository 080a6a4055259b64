import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { projectDeleteEvents, removeProject } from './change-project.ts'
import { projectNoun } from './project.ts'

/** Deletes a project, archived or not, with its columns. Its tasks and boards remain without a project. */
export const deleteProject = writeOperation({
  id: 'projects.delete',
  method: 'DELETE',
  path: '/v1/projects/{id}',
  summary: 'Delete a project',
  scope: 'projects:write',
  credits: 10,
  confirmed: true,
  target: projectNoun,
  returns: Deleted('project'),
  emits: projectDeleteEvents,
  example: { params: { id: '{project}' } },
  async handle({ target, tx, now, emit }) {
    await removeProject({ tx, now, emit }, target)
    return { id: target.id, object: 'project', deleted: true }
  },
})
