import { eventType } from '../../api/declare/event.ts'
import { workspaceNoun } from './workspace.ts'

export const workspaceCreated = eventType('workflow.workspace.created', workspaceNoun)
export const workspaceUpdated = eventType('workflow.workspace.updated', workspaceNoun)
export const workspaceDeleted = eventType('workflow.workspace.deleted', workspaceNoun)
