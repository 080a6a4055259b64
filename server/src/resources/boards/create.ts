import Type from 'typebox'
import { actingUser } from '../../api/declare/caller.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { Board } from './board.ts'
import { boardOpenEvents, openBoard } from './shared/change.ts'

/** Creates a board owned by the key's user, or by the API service user if the key has no user. It may be attached to a project. */
export const createBoard = writeOperation({
  id: 'boards.create',
  method: 'POST',
  path: '/v1/boards',
  summary: 'Create a board',
  scope: 'boards:write',
  credits: 10,
  body: { name: Title, description: Type.Optional(Text), project: Type.Optional(Nullable(Id)) },
  returns: Board,
  emits: boardOpenEvents,
  example: { body: { name: 'Dependencies of the enhancements', description: 'Which repository needs which' } },
  async handle({ body, caller, tx, now, emit, note }) {
    if (body.project) await requireUsableProject({ tx, caller }, body.project)
    const board = openBoard(
      { tx, now, emit },
      {
        realm: caller.realm,
        name: body.name,
        description: body.description || null,
        owner: actingUser(caller),
        legacy_room_id: null,
        project: body.project ?? null,
      },
    )
    note({ room: board.id })
    return board
  },
})
