import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { requireEditor } from '../board_members/shared/access.ts'
import { boardNoun } from '../boards/board.ts'
import { boardLinkNoun, isOfBoard, showBoardLink } from './board_link.ts'
import { boardLinkDeleted } from './events.ts'

/**
 * Revokes a link for guests. Its guests cannot draw from then on, and their connections end within seconds. What they have
 * drawn stays.
 */
export const deleteBoardLink = writeOperation({
  id: 'board_links.delete',
  method: 'DELETE',
  path: '/v1/boards/{id}/links/{link_id}',
  summary: 'Revoke a link for guests',
  scope: 'boards:write',
  credits: 10,
  extension: true,
  parent: boardNoun,
  target: boardLinkNoun,
  within: isOfBoard,
  returns: Deleted('board_link'),
  emits: [boardLinkDeleted],
  example: { params: { id: '{board}', link_id: '{board_link}' } },
  async handle({ parent, target, caller, tx, now, emit, note }) {
    await requireEditor(tx, caller, parent)
    note({ room: parent.id })
    markDeleted(tx, 'board_links', target, now)
    emit(boardLinkDeleted, showBoardLink(target))
    return { id: target.id, object: 'board_link', deleted: true }
  },
})
