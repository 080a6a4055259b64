import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { workspaceUpdated } from './events.ts'
import { showWorkspace, Workspace, workspaceNoun } from './workspace.ts'

/** Changes the title of a workspace. Its key stays the same, because task keys begin with it. */
export const updateWorkspace = writeOperation({
  id: 'workspaces.update',
  method: 'PATCH',
  path: '/v1/workspaces/{id}',
  summary: 'Update a workspace',
  scope: 'workspaces:write',
  credits: 10,
  target: workspaceNoun,
  body: { title: Type.Optional(Title) },
  returns: Workspace,
  emits: [workspaceUpdated],
  example: { params: { id: '{workspace}' }, body: { title: 'Enhancements' } },
  handle({ target, body, tx, now, emit }) {
    const changed = applyChange(tx, 'workspaces', target, body, now)
    if (changed !== null) emit(workspaceUpdated, showWorkspace(changed), showWorkspace(target))
    return showWorkspace(changed ?? target)
  },
})
