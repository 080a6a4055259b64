/** What the operator does with a board: names its legacy room, brings it back (contract §3, decisions §15). */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import type { Services } from '../../api/services.ts'
import { commitSystemChange } from '../../api/system-change.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { idPattern } from '../../lib/ids.ts'
import { limits } from '../../lib/limits.ts'
import { type Board, boardNoun, requireActiveBoard, showBoard } from './board.ts'
import { boardRestored } from './events.ts'
import { changeBoard } from './queries-change.ts'
import { type BoardPlace, locateBoard } from './queries.ts'

type Writing = Pick<Services, 'store' | 'clock' | 'committed'>

/** Gives a board a legacy room id; an empty one takes it away. Other boards may have the same. */
export async function setBoard(services: Writing, id: string, sent: { legacy_room_id: string }): Promise<Board> {
  const legacy_room_id = readRoom(sent.legacy_room_id)
  const place = await locateBoard(services.store.reader('system'), id)
  return await commitSystemChange(services, about(place, 'boards.update'), async ({ tx, now, emit, note }) => {
    const board = await boardOf(tx, place, id)
    requireActiveBoard(board)
    note({ room: board.id })
    return changeBoard({ tx, now, emit }, board, { legacy_room_id })
  })
}

/** Brings an archived board back; one that is not archived is left as it is. */
export async function restoreBoard(services: Writing, id: string): Promise<Board> {
  const place = await locateBoard(services.store.reader('system'), id)
  return await commitSystemChange(services, about(place, 'boards.restore'), async ({ tx, now, emit, note }) => {
    const board = await boardOf(tx, place, id)
    if (board.status === 'active') return showBoard(board)
    note({ room: board.id })
    return changeBoard({ tx, now, emit }, board, { status: 'active', archived_at: null }, boardRestored)
  })
}

const public_id = new RegExp(idPattern('brd'))

/** A legacy room id as it is kept; none for an empty text. It must never look like the id of a board. */
export function readRoom(room: string): string | null {
  if (room === '') return null
  const tooLong = [...room].length > limits.legacy_room_id_chars_max
  if (!tooLong && room.isWellFormed() && !/[\p{Cc}/]/u.test(room) && !public_id.test(room)) return room
  throw refuse('invalid_request_body', {
    param: 'legacy_room_id',
    message:
      `legacy_room_id must have 1 to ${limits.legacy_room_id_chars_max} characters, ` +
      'no control characters or slashes, and not the form of a board id.',
  })
}

function about({ organization, realm, mode }: BoardPlace, action: string) {
  return { organization, realms: [{ realm, mode }], action }
}

async function boardOf(tx: Reader, place: BoardPlace, id: string): Promise<BoardRow> {
  return (await boardNoun.find(tx, place as unknown as Caller, id)) as BoardRow
}
