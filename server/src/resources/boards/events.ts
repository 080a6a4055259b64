import { eventType } from '../../api/declare/event.ts'
import { boardNoun } from './board.ts'

export const boardCreated = eventType('whiteboard.board.created', boardNoun)
export const boardUpdated = eventType('whiteboard.board.updated', boardNoun)
/** Archived by DELETE. The board stays readable, because the deletion can be undone (contract/15#board). */
export const boardDeleted = eventType('whiteboard.board.deleted', boardNoun)
export const boardRestored = eventType('whiteboard.board.restored', boardNoun)
export const boardSnapshotPublished = eventType('whiteboard.board.snapshot_published', boardNoun)
