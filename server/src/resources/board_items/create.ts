import Type from 'typebox'
import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { listOf } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import type { BoardRow } from '../../db/schema.ts'
import { requireEditor } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { boardSnapshotPublished } from '../boards/events.ts'
import { changeBoard } from '../boards/shared/change.ts'
import { taskNoun } from '../tasks/task.ts'
import { BoardItem, showBoardItem } from './board_item.ts'
import { itemsOfElements } from './queries.ts'
import { scene_limits } from './scene/limits.ts'
import { appendRequest, lookAtScene } from './scene/log.ts'
import { publishElements } from './scene/publish-scene.ts'
import { elementsOfRequest, SentItem } from './scene/sent-items.ts'

/**
 * Creates or changes 1 to 500 items of a board, all or none, and publishes the board. They are merged like what a person draws: an
 * item with the `source.element_id` of an element changes it, and fields that are left out stay as they are.
 */
export const createBoardItems = writeOperation({
  id: 'board_items.create',
  method: 'POST',
  path: '/v1/boards/{id}/items',
  summary: 'Draw items on a board',
  scope: 'boards:write',
  credits: 25,
  extension: true,
  parent: boardNoun,
  body: {
    items: Type.Array(SentItem, {
      minItems: 1,
      maxItems: scene_limits.request_items_max,
      description: 'Items to create or change, each element once.',
    }),
  },
  returns: listOf(BoardItem, false),
  emits: [boardSnapshotPublished],
  example: {
    params: { id: '{board}' },
    body: {
      items: [
        { source: { element_id: 'plan' }, type: 'shape', text: 'Plan', position: { x: 0, y: 0 } },
        { source: { element_id: 'build' }, type: 'shape', text: 'Build', position: { x: 300, y: 0 } },
        {
          source: { element_id: 'plan-build' },
          type: 'connector',
          connector: { start: { element_id: 'plan' }, end: { element_id: 'build' } },
        },
      ],
    },
  },
  async handle({ parent, body, caller, tx, now, emit, note }) {
    await requireEditor(tx, caller, parent)
    const items: SentItem[] = []
    for (const [i, item] of body.items.entries()) {
      const task = item.linked_task
      if (task == null) items.push(item)
      else {
        const { id } = await findReference(taskNoun, { tx, caller }, task, `items[${i}].linked_task`)
        items.push({ ...item, linked_task: id })
      }
    }
    const looked = await lookAtScene(tx, parent, now)
    const { ids, elements } = elementsOfRequest(looked.scene, items, now)
    const author = actingUser(caller)
    appendRequest(tx, parent, looked, { author, elements }, now)
    note({ room: parent.id })
    const published = await publishElements(tx, parent, looked.scene, author, now)
    changeBoard({ tx, now, emit }, parent, published ?? {}, boardSnapshotPublished)
    const after: BoardRow = { ...parent, ...published }
    const rows = await itemsOfElements(tx, after, ids)
    const url = `/v1/boards/${parent.id}/items`
    return { object: 'list', url, has_more: false, next_cursor: null, data: rows.map(showBoardItem) }
  },
})
