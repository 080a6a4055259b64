import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { named } from '../../api/declare/shapes.ts'
import { readUserAgent } from '../../api/request-log/log-request.ts'
import { seconds } from '../../lib/clock.ts'
import type { BoardLink } from '../../resources/board_links/board_link.ts'
import { board_link_limits } from '../../resources/board_links/limits.ts'
import { beginGuest } from '../../resources/board_links/shared/guests.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import { addressOf } from '../origins.ts'

const Name = named(Type.String({ minLength: 1, maxLength: board_link_limits.board_guest_name_chars_max }))

/**
 * Begins the session of a guest: only this answer holds the token, which opens the live board of the link and nothing else. It
 * is bound to the link, not to a person who is signed in in this browser.
 */
export const beginBoardGuest = endpoint('POST board-guests', {
  needs: 'nothing',
  body: body({ secret: LinkToken, name: Name }),
  async handle({ services, request, body: sent }) {
    const source = { ip: addressOf(request, services.settings), user_agent: readUserAgent(request) }
    const { guest, link, board, token } = await beginGuest(
      services,
      { secret: sent.secret, name: cleanName(sent.name) },
      source,
    )
    return {
      token,
      guest: { id: guest.id, name: guest.name, expires_at: seconds(guest.expires_at) },
      board: { id: board.id, name: board.name },
      role: link.role as BoardLink['role'],
      expires_at: seconds(link.expires_at),
    }
  },
})

/** Without marks that change the direction of the text after the name, control characters, and white space beyond single blanks. */
function cleanName(name: string): string {
  const cleaned = name
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (cleaned !== '') return cleaned
  throw refuse('invalid_request_body', { param: 'name', message: 'name must have at least one visible character.' })
}
