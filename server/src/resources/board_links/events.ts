import { eventType } from '../../api/declare/event.ts'
import { boardLinkNoun } from './board_link.ts'

export const boardLinkCreated = eventType('whiteboard.board_link.created', boardLinkNoun)
export const boardLinkDeleted = eventType('whiteboard.board_link.deleted', boardLinkNoun)
