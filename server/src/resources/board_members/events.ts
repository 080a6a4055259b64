import { eventType } from '../../api/declare/event.ts'
import { boardMemberNoun } from './board_member.ts'

export const boardMemberCreated = eventType('whiteboard.board_member.created', boardMemberNoun)
export const boardMemberUpdated = eventType('whiteboard.board_member.updated', boardMemberNoun)
export const boardMemberDeleted = eventType('whiteboard.board_member.deleted', boardMemberNoun)
