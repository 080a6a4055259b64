/** The images of boards: a page sends each once, and reads those that elements name. */
import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { required, textParameter } from '../../api/declare/parameters.ts'
import { limits } from '../../api/limits.ts'
import { requireLive } from '../../api/request/target.ts'
import type { BoardRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { readObject } from '../../resources/board_items/excalidraw/fields.ts'
import { readAsset } from '../../resources/board_items/excalidraw.ts'
import { keepImages, readImage, readImages, withImages } from '../../resources/board_items/scene/images.ts'
import { scene_limits } from '../../resources/board_items/scene/limits.ts'
import { requireEditor } from '../../resources/board_members/shared/access.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText, modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'

const file_max = limits.board_element_text_chars_max

/** Stores an image of a board under the id of its file: a PNG, JPEG, WebP or GIF as a data URL. */
export const storeBoardImage = endpoint('POST boards/{id}/images', {
  needs: 'session',
  guests: true,
  body: body({
    mode: Type.Optional(ModeText),
    file: Type.String({ minLength: 1, maxLength: file_max }),
    data_url: Type.String({ minLength: 1 }),
  }),
  body_bytes_max: console_limits.console_image_bytes_max,
  async handle({ services, session, params, body: { mode, file, data_url }, now }) {
    const caller = callerOfSession(session, mode ?? 'live')
    const asset = readAsset({ ...readObject({ dataURL: data_url }, ''), path: 'file' })
    // Before the bytes are stored; the transaction decides.
    await editedBoard(services.store.reader(caller.storeScope), caller, params.id)
    await withImages(services, caller.realm, new Map([[file, asset]]), async (images) =>
      services.store.write(caller.storeScope, async (tx) => {
        const key = { realm: caller.realm, board: (await editedBoard(tx, caller, params.id)).id }
        const present = await readImages(tx, key)
        if (!present.has(file) && present.size >= scene_limits.images_max) {
          throw refuse('resource_conflict', { message: `A board has at most ${scene_limits.images_max} images.` })
        }
        await keepImages(tx, key, images, now)
      }),
    )
    return { file }
  },
})

/** A board that the caller may draw on. */
async function editedBoard(reader: Reader, caller: Caller, id = ''): Promise<BoardRow> {
  const board = await requireLive(boardNoun, reader, caller, id)
  await requireEditor(reader, caller, board)
  return board
}

/** Shows an image of a board by the id of its file; null if the board has none, which stays a placeholder in the drawing. */
export const retrieveBoardImage = endpoint('GET boards/{id}/images', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter, file: required(textParameter(file_max, 'Id of the file that an element names.')) },
  async handle({ services, session, params, query: { mode, file } }) {
    const caller = callerOfSession(session, mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const board = await requireLive(boardNoun, reader, caller, params.id ?? '')
    return { file, data_url: await readImage(services, reader, { realm: caller.realm, board: board.id }, file) }
  },
})
