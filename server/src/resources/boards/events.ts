import { eventType } from '../../api/event.ts'
import { boardNoun } from './board.ts'

export const boardCreated = eventType('whiteboard.board.created', boardNoun)
export const boardUpdated = eventType('whiteboard.board.updated', boardNoun)
/** Archived by DELETE: the board as it stays readable, since its deletion can be undone (decisions §10). */
export const boardDeleted = eventType('whiteboard.board.deleted', boardNoun)
export const boardRestored = eventType('whiteboard.board.restored', boardNoun)
export const boardSnapshotPublished = eventType('whiteboard.board.snapshot_published', boardNoun)
