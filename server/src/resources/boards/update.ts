import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Text, Title } from '../../api/declare/shapes.ts'
import { Board, boardNoun, requireActiveBoard } from './board.ts'
import { boardUpdated } from './events.ts'
import { changeBoard } from './shared/change.ts'

/** Changes the name or description of a board. An archived board answers 409. */
export const updateBoard = writeOperation({
  id: 'boards.update',
  method: 'PATCH',
  path: '/v1/boards/{id}',
  summary: 'Update a board',
  scope: 'boards:write',
  credits: 10,
  target: boardNoun,
  body: { name: Type.Optional(Title), description: Type.Optional(Text) },
  returns: Board,
  emits: [boardUpdated],
  example: { params: { id: '{board}' }, body: { name: 'Dependencies, 2026' } },
  handle({ target, body, tx, now, emit, note }) {
    requireActiveBoard(target)
    note({ room: target.id })
    const { name, description } = body
    return changeBoard({ tx, now, emit }, target, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description: description || null }),
    })
  },
})
