import { eventType } from '../../api/declare/event.ts'
import { boardCommentNoun } from './board_comment.ts'

export const boardCommentCreated = eventType('whiteboard.comment.created', boardCommentNoun)
export const boardCommentUpdated = eventType('whiteboard.comment.updated', boardCommentNoun)
export const boardCommentResolved = eventType('whiteboard.comment.resolved', boardCommentNoun)
export const boardCommentReopened = eventType('whiteboard.comment.reopened', boardCommentNoun)
export const boardCommentDeleted = eventType('whiteboard.comment.deleted', boardCommentNoun)
