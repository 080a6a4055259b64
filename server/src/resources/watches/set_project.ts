import { writeOperation } from '../../api/declare/operation.ts'
import { projectNoun } from '../projects/project.ts'
import { setWatch, showProjectWatch } from './shared.ts'
import { Level, Watch } from './watch.ts'

/**
 * Sets how the person for whom the credential acts stands to a project, from the next event on: a person who watches it watches all of
 * its tasks, and a person who mutes it hears nothing of them. What the person says of a task itself goes first.
 */
export const setProjectWatch = writeOperation({
  id: 'project_watch.set',
  method: 'POST',
  path: '/v1/projects/{id}/watch',
  summary: 'Watch a project',
  scope: 'projects:write',
  credits: 10,
  extension: true,
  target: projectNoun,
  body: { level: Level },
  returns: Watch,
  emits: [],
  example: { params: { id: '{project}' }, body: { level: 'watching' } },
  async handle(context) {
    const { tx, caller, target, body } = context
    await setWatch(context, { object: 'project', id: target.id, workspace: target.workspace }, body.level)
    return await showProjectWatch(tx, caller, target)
  },
})
