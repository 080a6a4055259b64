import { writeOperation } from '../../api/declare/operation.ts'
import { Title } from '../../api/declare/shapes.ts'
import { newId } from '../../lib/ids.ts'
import { workspaceCreated } from './events.ts'
import { freeKey } from './queries.ts'
import { showWorkspace, Workspace } from './workspace.ts'

/** Creates a workspace. Its key is derived from the title and unique. */
export const createWorkspace = writeOperation({
  id: 'workspaces.create',
  method: 'POST',
  path: '/v1/workspaces',
  summary: 'Create a workspace',
  scope: 'workspaces:write',
  credits: 10,
  body: { title: Title },
  returns: Workspace,
  emits: [workspaceCreated],
  example: { body: { title: 'Kubernetes Enhancement Proposals' } },
  async handle({ body, caller, tx, now, emit }) {
    const row = {
      realm: caller.realm,
      id: newId('wsp', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      title: body.title,
      key: await freeKey(tx, caller.realm, body.title),
      status: 'active',
      default_currency: 'EUR',
      last_number: 0,
    }
    tx.insert('workspaces', row)
    const workspace = showWorkspace(row)
    emit(workspaceCreated, workspace)
    return workspace
  },
})
