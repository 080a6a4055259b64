import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Title } from '../../api/declare/shapes.ts'
import { copyProject, nameOfCopy, projectDuplicateEvents } from './copy-project.ts'
import { Project, projectNoun } from './project.ts'

/** Copies a project with up to 99 columns and tasks, all or nothing. The copy of an archived project is active. */
export const duplicateProject = writeOperation({
  id: 'projects.duplicate',
  method: 'POST',
  path: '/v1/projects/{id}/duplicate',
  summary: 'Duplicate a project',
  scope: 'projects:write',
  credits: 25,
  target: projectNoun,
  body: { name: described(Type.Optional(Title), 'Name of the copy; `Copy of …` by default.') },
  returns: Project,
  emits: projectDuplicateEvents,
  example: { params: { id: '{project}' }, body: { name: 'Sidecar containers, again' } },
  handle: async ({ target, body, caller, tx, now, emit }) =>
    await copyProject({ tx, caller, now, emit }, target, body.name ?? nameOfCopy(target.name)),
})
