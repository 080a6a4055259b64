import type { Operation } from '../../api/operation.ts'
import { createWorkspace } from './create.ts'
import { retrieveWorkspace } from './get.ts'
import { listWorkspaces } from './list.ts'
import { updateWorkspace } from './update.ts'

export const workspaces: readonly Operation[] = [listWorkspaces, createWorkspace, retrieveWorkspace, updateWorkspace]
