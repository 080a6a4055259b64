import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { projectNoun } from './project.ts'
import { projectDeleteEvents, removeProject } from './queries-change.ts'

/** Deletes a project, archived or not, and its columns; its tasks stay, outside of any project. */
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
