/** Boards of a deleted project remain without a project (contract/15#board). */
import { type Placeholder, query } from '../../../db/query.ts'
import type { BoardRow, ProjectRow } from '../../../db/schema.ts'
import { showBoard } from '../board.ts'
import { boardUpdated } from '../events.ts'
import type { BoardWork } from './change.ts'

const activeBoards = query<BoardRow, { realm: number; project: string }>((db, p) =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('status', '=', 'active')
    .orderBy('id'),
)

const detach = query((db, p: Placeholder<{ updated: number; realm: number; project: string }>) =>
  db
    .updateTable('boards')
    .set((board) => ({ project: null, updated: p('updated'), revision: board('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('project', '=', p('project'))
    .where('status', '=', 'active'),
)

/**
 * Detaches the active boards of a project, with an event each. An archived board is read-only: it keeps the project until it is
 * restored.
 */
export async function detachBoards({ tx, now, emit }: BoardWork, { realm, id }: ProjectRow): Promise<void> {
  const boards = await tx.all(activeBoards, { realm, project: id })
  if (boards.length === 0) return
  tx.write(detach, { realm, project: id, updated: now })
  for (const board of boards) {
    const changed = { ...board, project: null, updated: now, revision: board.revision + 1 }
    emit(boardUpdated, showBoard(changed), showBoard(board))
  }
}
