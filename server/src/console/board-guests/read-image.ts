import Type from 'typebox'
import { limits } from '../../api/limits.ts'
import { readImage } from '../../resources/board_items/scene/images.ts'
import { endedLink, findGuest, scopeOf } from '../../resources/board_links/shared/guests.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'

/**
 * Shows a guest an image of the link's board by the id of its file; null if the board has none. The token is in the body: no
 * address of an image outlives the link.
 */
export const readGuestImage = endpoint('POST board-guests/images', {
  needs: 'nothing',
  body: body({
    token: LinkToken,
    file: Type.String({ minLength: 1, maxLength: limits.board_element_text_chars_max }),
  }),
  async handle({ services, body: { token, file }, now }) {
    const present = await findGuest(services, token, now)
    if (present === null) throw endedLink()
    const { guest, board } = present
    const reader = services.store.reader(scopeOf(guest))
    return { file, data_url: await readImage(services, reader, { realm: guest.realm, board: board.id }, file) }
  },
})
