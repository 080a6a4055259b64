import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { workspaceDeleted } from './events.ts'
import { contentsOf } from './queries.ts'
import { showWorkspace, workspaceNoun } from './workspace.ts'

/**
 * Deletes an empty workspace. One that still contains projects, tasks or other objects is a conflict that names them. Its
 * id answers 410 from then on, and no other workspace gets its key.
 */
export const deleteWorkspace = writeOperation({
  id: 'workspaces.delete',
  method: 'DELETE',
  path: '/v1/workspaces/{id}',
  summary: 'Delete a workspace',
  scope: 'workspaces:write',
  credits: 10,
  extension: true,
  target: workspaceNoun,
  returns: Deleted('workspace'),
  emits: [workspaceDeleted],
  example: { params: { id: '{workspace}' } },
  async handle({ target, tx, now, emit }) {
    const contents = await contentsOf(tx, target.realm, target.id)
    if (contents.length > 0) {
      const list = new Intl.ListFormat('en').format(contents)
      throw refuse('resource_conflict', {
        message: `The workspace still contains ${list}. Delete or pause them first.`,
      })
    }
    markDeleted(tx, 'workspaces', target, now)
    emit(workspaceDeleted, showWorkspace(target))
    return { id: target.id, object: 'workspace', deleted: true }
  },
})
