import { eventType } from '../../api/declare/event.ts'
import { commentNoun } from './comment.ts'

export const commentCreated = eventType('workflow.comment.created', commentNoun)
export const commentUpdated = eventType('workflow.comment.updated', commentNoun)
export const commentDeleted = eventType('workflow.comment.deleted', commentNoun)
