import Type from 'typebox'
import { readOperation } from '../../api/declare/operation.ts'
import { described, Id, Nullable } from '../../api/declare/shapes.ts'
import { boardNoun } from './board.ts'
import { outlineOf } from './shared/outline.ts'

const Outline = Type.Object({
  object: described(Type.Literal('board_outline'), 'Kind of object: always `board_outline`.'),
  board: described(Id, 'Board that the outline is of.'),
  snapshot_revision: described(
    Nullable(Type.Integer({ minimum: 1 })),
    'Revision of the snapshot that was read; null without one.',
  ),
  text: Type.String({ description: 'Frames with their items, other items, and connections, one per line.' }),
})

/**
 * Shows the published snapshot of a board as text, for people and agents who cannot see it: frames with the texts of their items,
 * connections from text to text, and the keys of linked tasks if the credential may read tasks.
 */
export const outlineBoard = readOperation({
  id: 'boards.outline',
  method: 'GET',
  path: '/v1/boards/{id}/outline',
  summary: 'Read a board as text',
  scope: 'boards:read',
  credits: 5,
  extension: true,
  target: boardNoun,
  returns: Outline,
  example: { params: { id: '{board}' } },
  async handle({ target, caller, reader }) {
    const text = await outlineOf(reader, target, caller.scopes.has('tasks:read'), caller.guest)
    const revision = target.snapshot_published_at === null ? null : target.snapshot_revision
    return { object: 'board_outline', board: target.id, snapshot_revision: revision, text }
  },
})
