import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { requireEditor } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { boardSnapshotPublished } from '../boards/events.ts'
import { changeBoard } from '../boards/shared/change.ts'
import { type BoardItemContent, boardItemNoun } from './board_item.ts'
import { deletionOf } from './scene/element.ts'
import { appendRequest, lookAtScene } from './scene/log.ts'
import { publishElements } from './scene/publish-scene.ts'

/** Deletes an item of a board with its text, releases the connectors attached to it, and publishes the board. */
export const deleteBoardItem = writeOperation({
  id: 'board_items.delete',
  method: 'DELETE',
  path: '/v1/boards/{id}/items/{item_id}',
  summary: 'Delete an item of a board',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardItemNoun,
  returns: Deleted('board_item'),
  emits: [boardSnapshotPublished],
  example: { params: { id: '{board}', item_id: '{board_item}' } },
  async handle({ parent, target, caller, tx, now, emit, note }) {
    await requireEditor(tx, caller, parent)
    const looked = await lookAtScene(tx, parent, now)
    const { source } = JSON.parse(target.content) as BoardItemContent
    const author = actingUser(caller)
    appendRequest(tx, parent, looked, { author, elements: deletionOf(looked.scene, source.element_id, now) }, now)
    note({ room: parent.id })
    const published = await publishElements(tx, parent, looked.scene, author, now)
    changeBoard({ tx, now, emit }, parent, published ?? {}, boardSnapshotPublished)
    return { id: target.id, object: 'board_item', deleted: true }
  },
})
