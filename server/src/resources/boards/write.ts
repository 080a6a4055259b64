/** The operator's writes on boards: setting the legacy room id and restoring (contract/15#board). */
import type { Services } from '../../api/services.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { projectNoun } from '../projects/project.ts'
import { type Board, boardNoun, readRoomId, requireActiveBoard, showBoard } from './board.ts'
import { boardRestored } from './events.ts'
import { changeBoard } from './shared/change.ts'
import { type BoardLocation, locateBoard } from './shared/queries.ts'

type Writing = Pick<Services, 'store' | 'clock' | 'committed'>

/** Sets the legacy room id of a board; an empty text removes it. Several boards may have the same. */
export async function setBoard(services: Writing, id: string, sent: { legacy_room_id: string }): Promise<Board> {
  const legacy_room_id = readRoomId(sent.legacy_room_id)
  const location = await locateBoard(services.store.reader('system'), id)
  return await commitSystemChange(services, about(location, 'boards.update'), async ({ tx, now, emit, note }) => {
    const board = await boardOf(tx, location, id)
    requireActiveBoard(board)
    note({ room: board.id })
    return changeBoard({ tx, now, emit }, board, { legacy_room_id })
  })
}

/** Restores an archived board, without its project if that was deleted; an active one is not changed. Without an author, the operator is the actor. */
export async function restoreBoard(services: Writing, id: string, author?: Author): Promise<Board> {
  const location = await locateBoard(services.store.reader('system'), id)
  return await commitSystemChange(
    services,
    { ...about(location, 'boards.restore'), ...author },
    async ({ tx, now, emit, note }) => {
      const board = await boardOf(tx, location, id)
      if (board.status === 'active') return showBoard(board)
      note({ room: board.id })
      const fields = { status: 'active', archived_at: null, project: await livingProject(tx, location, board) }
      return changeBoard({ tx, now, emit }, board, fields, boardRestored)
    },
  )
}

async function livingProject(tx: Reader, location: BoardLocation, { project }: BoardRow): Promise<string | null> {
  if (project === null) return null
  const row = await projectNoun.find(tx, location, project)
  return row === undefined || row.deleted_at ? null : project
}

function about({ organization, realm, mode }: BoardLocation, action: string) {
  return { organization, realms: [{ realm, mode }], action }
}

async function boardOf(tx: Reader, location: BoardLocation, id: string): Promise<BoardRow> {
  return (await boardNoun.find(tx, location, id)) as BoardRow
}
