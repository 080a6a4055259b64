import { eventType } from '../../api/declare/event.ts'
import { columnNoun } from './column.ts'

export const columnCreated = eventType('workflow.column.created', columnNoun)
export const columnUpdated = eventType('workflow.column.updated', columnNoun)
export const columnDeleted = eventType('workflow.column.deleted', columnNoun)
