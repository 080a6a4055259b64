import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { Board, boardNoun, requireActiveBoard } from './board.ts'
import { boardUpdated } from './events.ts'
import { changeBoard } from './shared/change.ts'

/** Changes the name, the description or the project of a board. An archived board answers 409. */
export const updateBoard = writeOperation({
  id: 'boards.update',
  method: 'PATCH',
  path: '/v1/boards/{id}',
  summary: 'Update a board',
  scope: 'boards:write',
  credits: 10,
  target: boardNoun,
  body: { name: Type.Optional(Title), description: Type.Optional(Text), project: Type.Optional(Nullable(Id)) },
  returns: Board,
  emits: [boardUpdated],
  example: { params: { id: '{board}' }, body: { name: 'Dependencies, 2026' } },
  async handle({ target, body, caller, tx, now, emit, note }) {
    requireActiveBoard(target)
    note({ room: target.id })
    const { name, description, project } = body
    if (project && project !== target.project) await requireUsableProject({ tx, caller }, project)
    return changeBoard({ tx, now, emit }, target, {
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description: description || null }),
      ...(project === undefined ? {} : { project }),
    })
  },
})
