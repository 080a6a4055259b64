import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import { requireLive } from '../../api/target.ts'
import { limits } from '../../lib/limits.ts'
import { importBoard } from '../../resources/board_items/import.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { restoreBoard } from '../../resources/boards/write.ts'
import { authorOf } from '../author.ts'
import { contributionOf } from '../contribution.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { callerOfSession } from '../sessions/session.ts'

const mode = Type.Optional(ModeText)

/** Brings an archived board back. */
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

/** Publishes a drawing on a board that is there, or on a new one of the person's. */
export const importDrawing = endpoint('POST boards/import', {
  needs: 'session',
  body: body({
    mode,
    scene: Type.String({ minLength: 1 }),
    name: Type.Optional(Type.String()),
    board: Type.Optional(Type.String()),
  }),
  body_bytes_max: limits.console_board_bytes_max,
  async handle(context) {
    const { place, author, fields } = contributionOf(context)
    const { scene, name, board } = fields
    if ((name === undefined) === (board === undefined)) {
      const message = 'Give board to publish on a board that is there, or name for a new one.'
      throw refuse('invalid_request_body', { param: 'name', message })
    }
    const where = board === undefined ? { name: name ?? '' } : { board }
    return await importBoard(context.services, { ...place, file: Buffer.from(scene), ...where, author })
  },
})
