/** The history of a board. */
import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { requireLive } from '../../api/request/target.ts'
import { seconds } from '../../lib/clock.ts'
import { listVersions, nameVersion, restoreVersion } from '../../resources/board_items/scene/history.ts'
import { scene_limits } from '../../resources/board_items/scene/limits.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { callerOfSession } from '../sessions/session.ts'

const mode = Type.Optional(ModeText)

/** Lists the versions of a board, newest first. */
export const listBoardVersions = endpoint('GET boards/{id}/versions', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter },
  async handle({ services, session, params, query }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const board = await requireLive(boardNoun, reader, caller, params.id ?? '')
    const versions = await listVersions(reader, caller.realm, board.id)
    return { data: versions.map((version) => ({ ...version, created: seconds(version.created) })) }
  },
})

/** Keeps the board as it is now under a name. */
export const nameBoardVersion = endpoint('POST boards/{id}/versions', {
  needs: 'session',
  body: body({ mode, name: Type.String({ minLength: 1, maxLength: scene_limits.version_name_chars_max }) }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const author = authorOf(context, session.user)
    return { sequence: await nameVersion(services, caller, params.id ?? '', sent.name, author) }
  },
})

/** Makes a version the content of the board again. */
export const restoreBoardVersion = endpoint('POST boards/{id}/versions/{sequence}/restore', {
  needs: 'session',
  body: body({ mode }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const sequence = Number(params.sequence)
    if (!Number.isSafeInteger(sequence))
      throw refuse('resource_not_found', { message: 'The board has no such version.' })
    await restoreVersion(services, caller, params.id ?? '', sequence, authorOf(context, session.user))
    return { sequence }
  },
})
