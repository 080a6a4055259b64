import { eventType } from '../../api/declare/event.ts'
import { boardCommentNoun } from './board_comment.ts'

export const boardCommentCreated = eventType('whiteboard.board_comment.created', boardCommentNoun)
export const boardCommentUpdated = eventType('whiteboard.board_comment.updated', boardCommentNoun)
export const boardCommentResolved = eventType('whiteboard.board_comment.resolved', boardCommentNoun)
export const boardCommentReopened = eventType('whiteboard.board_comment.reopened', boardCommentNoun)
export const boardCommentDeleted = eventType('whiteboard.board_comment.deleted', boardCommentNoun)
