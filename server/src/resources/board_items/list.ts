import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { listByCursor } from '../../api/request/page.ts'
import { boardNoun } from '../boards/board.ts'
import { boardItemNoun } from './board_item.ts'
import { isReadable, readItems } from './queries.ts'

/**
 * Lists the items of a board's published snapshot, in drawing order. All pages show the snapshot of the first page, up to
 * 15 minutes after a newer snapshot was published; then the cursor is refused. A board without a snapshot has no items.
 */
export const listBoardItems = listOperation({
  id: 'board_items.list',
  method: 'GET',
  path: '/v1/boards/{id}/items',
  summary: 'List the items of a board',
  scope: 'boards:read',
  credits: 5,
  parent: boardNoun,
  paging: 'opaque',
  lists: boardItemNoun,
  example: { params: { id: '{board}' } },
  handle(context) {
    const { parent, caller, reader, operation, now } = context
    return listByCursor(context, {
      binding: { operation: operation.id, realm: caller.realm, filters: { board: parent.id } },
      async read(position, count) {
        const [revision, place] = (position ?? [parent.snapshot_revision, -1]) as [number, number]
        if (!(await isReadable(reader, parent, revision, now))) {
          throw refuse('cursor_invalid', {
            param: 'cursor',
            message: 'The snapshot of this cursor was replaced by a newer one. Start again without a cursor.',
          })
        }
        return await readItems(reader, parent, revision, place, count)
      },
      show: boardItemNoun.show,
      positionOf: (row) => [row.snapshot_revision, row.place],
    })
  },
})
