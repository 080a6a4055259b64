import type { Operation } from '../../api/declare/operation.ts'
import { createWorkspace } from './create.ts'
import { deleteWorkspace } from './delete.ts'
import { listWorkspaces } from './list.ts'
import { retrieveWorkspace } from './retrieve.ts'
import { updateWorkspace } from './update.ts'

export const workspaces: readonly Operation[] = [
  listWorkspaces,
  createWorkspace,
  retrieveWorkspace,
  updateWorkspace,
  deleteWorkspace,
]
