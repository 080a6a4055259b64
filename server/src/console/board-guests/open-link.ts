import { seconds } from '../../lib/clock.ts'
import type { BoardLink } from '../../resources/board_links/board_link.ts'
import { requireOpenLink } from '../../resources/board_links/shared/guests.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'

/** Shows what a link for guests opens, without beginning a session. */
export const retrieveBoardLink = endpoint('POST board-guests/link', {
  needs: 'nothing',
  body: body({ secret: LinkToken }),
  async handle({ services, body: { secret }, now }) {
    const { link, board } = await requireOpenLink(services, secret, now)
    const { expires_at, role } = link
    return { name: board.name, role: role as BoardLink['role'], expires_at: seconds(expires_at) }
  },
})
