import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { requireLive } from '../../api/request/target.ts'
import { importBoard } from '../../resources/board_items/import.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { restoreBoard } from '../../resources/boards/write.ts'
import { authorOf } from '../author.ts'
import { readContribution } from '../contribution.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'

const mode = Type.Optional(ModeText)

/** Restores an archived board. */
export const restoreArchivedBoard = endpoint('POST boards/{id}/restore', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const { id } = await requireLive(boardNoun, services.store.reader(caller.storeScope), caller, params.id ?? '')
    return await restoreBoard(services, id, authorOf(context, session.user))
  },
})

/** Publishes a drawing to an existing board, or to a new board of the user, which may be attached to a project. */
export const importDrawing = endpoint('POST boards/import', {
  needs: 'session',
  body: body({
    mode,
    scene: Type.String({ minLength: 1 }),
    name: Type.Optional(Type.String()),
    board: Type.Optional(Type.String()),
    project: Type.Optional(Type.String()),
  }),
  body_bytes_max: console_limits.console_board_bytes_max,
  async handle(context) {
    const { dataSet, author, fields } = readContribution(context)
    const { scene, name, board, project } = fields
    if ((name === undefined) === (board === undefined)) {
      const message = 'Send either board, to publish to an existing board, or name, to create one.'
      throw refuse('invalid_request_body', { param: 'name', message })
    }
    if (project !== undefined && board !== undefined) {
      const message = 'Send project only with name: an existing board is attached by PATCH /v1/boards/{id}.'
      throw refuse('invalid_request_body', { param: 'project', message })
    }
    const target = board === undefined ? { name: name ?? '', ...(project !== undefined && { project }) } : { board }
    return await importBoard(context.services, { ...dataSet, file: Buffer.from(scene), ...target, author })
  },
})
