import { eventType } from '../../api/declare/event.ts'
import { savedFilterNoun } from './saved_filter.ts'

export const savedFilterCreated = eventType('workflow.saved_filter.created', savedFilterNoun)
export const savedFilterUpdated = eventType('workflow.saved_filter.updated', savedFilterNoun)
export const savedFilterDeleted = eventType('workflow.saved_filter.deleted', savedFilterNoun)
