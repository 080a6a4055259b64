/** Creates and changes boards, for requests, commands and changes of members. */

import type { EventType } from '../../../api/declare/event.ts'
import { applyChange } from '../../../api/write/change.ts'
import type { BoardMemberRow, BoardRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { showBoardMember } from '../../board_members/board_member.ts'
import { boardMemberCreated } from '../../board_members/events.ts'
import { type Board, showBoard } from '../board.ts'
import { boardCreated, boardUpdated } from '../events.ts'

/** The part of a write's context that these functions need. `now` is in milliseconds. */
export interface BoardWork {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

interface NewBoard {
  readonly realm: number
  readonly name: string
  readonly description: string | null
  readonly owner: string
  readonly legacy_room_id: string | null
  readonly project?: string | null
}

/** Every event that `openBoard` emits. */
export const boardOpenEvents = [boardCreated, boardMemberCreated] as const

/** Creates a board and its owner's membership. */
export function openBoard({ tx, now, emit }: BoardWork, board: NewBoard): Board {
  const row: BoardRow = {
    ...resourceRow(board.realm, 'brd', now),
    name: board.name,
    description: board.description,
    owner: board.owner,
    status: 'active',
    archived_at: null,
    legacy_room_id: board.legacy_room_id,
    member_count: 1,
    item_count: 0,
    snapshot_revision: 0,
    snapshot_published_at: null,
    project: board.project ?? null,
  }
  tx.insert('boards', row)
  const shown = showBoard(row)
  emit(boardCreated, shown)
  addMembership({ tx, now, emit }, row, board.owner, 'owner')
  return shown
}

/** Adds a user to a board. The caller updates the board's `member_count`. */
export function addMembership(
  { tx, now, emit }: BoardWork,
  board: BoardRow,
  user: string,
  role: string,
): BoardMemberRow {
  const row = { ...resourceRow(board.realm, 'bmb', now), board: board.id, user, role }
  tx.insert('board_members', row)
  emit(boardMemberCreated, showBoardMember(row))
  return row
}

/** Changes the fields that differ and emits the event; without a difference it does neither. */
export function changeBoard(
  { tx, now, emit }: BoardWork,
  board: BoardRow,
  fields: Partial<BoardRow>,
  event: EventType = boardUpdated,
): Board {
  const changed = applyChange(tx, 'boards', board, fields, now)
  if (changed === null) return showBoard(board)
  const shown = showBoard(changed)
  emit(event, shown, showBoard(board))
  return shown
}

function resourceRow(realm: number, prefix: string, now: number) {
  return { realm, id: newId(prefix, now), created: now, updated: now, revision: 1, deleted_at: null }
}
