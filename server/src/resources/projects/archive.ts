import { writeOperation } from '../../api/declare/operation.ts'
import { taskUpdated } from '../tasks/events.ts'
import { changeProject } from './change-project.ts'
import { projectArchived } from './events.ts'
import { archiving, Project, projectNoun } from './project.ts'

/** Archives a project and its tasks. Archiving an archived project changes nothing and emits nothing. */
export const archiveProject = writeOperation({
  id: 'projects.archive',
  method: 'POST',
  path: '/v1/projects/{id}/archive',
  summary: 'Archive a project',
  scope: 'projects:write',
  credits: 10,
  target: projectNoun,
  returns: Project,
  emits: [projectArchived, taskUpdated],
  example: { params: { id: '{project}' } },
  handle: async ({ target, tx, now, emit }) => await changeProject({ tx, now, emit }, target, archiving(target, now)),
})
