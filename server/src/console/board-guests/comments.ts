import Type from 'typebox'
import type { Request } from '../../api/declare/request.ts'
import { Id } from '../../api/declare/shapes.ts'
import { readUserAgent } from '../../api/request-log/log-request.ts'
import type { Services } from '../../api/services.ts'
import { ElementId, Place } from '../../resources/board_comments/board_comment.ts'
import { board_link_limits } from '../../resources/board_links/limits.ts'
import {
  changeCommentAsGuest,
  commentAsGuest,
  deleteCommentAsGuest,
  readComments,
} from '../../resources/board_links/shared/guest-comments.ts'
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
    return await commentAsGuest(services, token, sent, sourceOf(services, request))
  },
})

/** Changes the text of a comment that the guest has written. */
export const updateGuestComment = endpoint('POST board-guests/comments/update', {
  needs: 'nothing',
  body: body({ token: LinkToken, id: Id, body: Body }),
  async handle({ services, request, body: { token, ...sent } }) {
    return await changeCommentAsGuest(services, token, sent, sourceOf(services, request))
  },
})

/** Deletes a comment that the guest has written; with the first one its thread, as long as it is the guest's alone. */
export const deleteGuestComment = endpoint('POST board-guests/comments/delete', {
  needs: 'nothing',
  body: body({ token: LinkToken, id: Id }),
  async handle({ services, request, body: { token, id } }) {
    return await deleteCommentAsGuest(services, token, id, sourceOf(services, request))
  },
})

function sourceOf({ settings }: Services, request: Request) {
  return { ip: addressOf(request, settings), user_agent: readUserAgent(request) }
}

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
