import Type from 'typebox'
import { Id } from '../../api/declare/shapes.ts'
import { readUserAgent } from '../../api/request-log/log-request.ts'
import { ElementId, Place } from '../../resources/board_comments/board_comment.ts'
import { board_link_limits } from '../../resources/board_links/limits.ts'
import { commentAsGuest, readComments } from '../../resources/board_links/shared/guest-comments.ts'
import { endpoint } from '../endpoint.ts'
import { body, LinkToken } from '../fields.ts'
import { addressOf } from '../origins.ts'

const Body = Type.String({ minLength: 1, maxLength: board_link_limits.board_guest_comment_chars_max, pattern: '\\S' })

/** Made by the page for each comment, so that a request whose answer was lost can be sent again. */
const Key = Type.String({ minLength: 8, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' })

/** Writes a comment on the link's board, once for each key: with `position` it begins a thread, with `thread` it replies in one. */
export const createGuestComment = endpoint('POST board-guests/comments', {
  needs: 'nothing',
  body: body({
    token: LinkToken,
    key: Key,
    body: Body,
    position: Type.Optional(Place),
    element: Type.Optional(Type.Union([ElementId, Type.Null()])),
    thread: Type.Optional(Id),
  }),
  async handle({ services, request, body: { token, ...sent } }) {
    const source = { ip: addressOf(request, services.settings.publicUrl), user_agent: readUserAgent(request) }
    return await commentAsGuest(services, token, sent, source)
  },
})

/** Shows the comments of the link's board, newest first, 100 at a time, without the people who wrote them. */
export const readGuestComments = endpoint('POST board-guests/comments/read', {
  needs: 'nothing',
  body: body({
    token: LinkToken,
    state: Type.Optional(Type.String({ maxLength: 40 })),
    before: Type.Optional(Id),
  }),
  handle: async ({ services, body: sent, now }) => await readComments(services, sent, now),
})
