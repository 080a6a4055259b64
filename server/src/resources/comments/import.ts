import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, Moment } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { millis } from '../../lib/clock.ts'
import { userNoun } from '../members/member.ts'
import { taskNoun } from '../tasks/task.ts'
import { Comment, CommentBody, showComment } from './comment.ts'
import { commentCreated } from './events.ts'
import { createComment } from './shared/create.ts'

/**
 * Creates a comment that comes from another system, with the time and the author that it has there. Without `author` it is
 * the API service user's. `created` and `author` need `api:manage`; events and the audit log name the credential that sent
 * the request.
 */
export const importComment = writeOperation({
  id: 'task_comments.import',
  method: 'POST',
  path: '/v1/tasks/{task_id}/comments/import',
  summary: 'Import a comment from another system',
  scope: 'comments:write',
  credits: 10,
  extension: true,
  parent: taskNoun,
  body: {
    workspace: Id,
    body: CommentBody,
    created: Type.Optional(
      described(Moment, 'When the comment was written, in Unix seconds; now by default; needs `api:manage`.'),
    ),
    author: Type.Optional(described(Id, 'User id of the member who wrote the comment; needs `api:manage`.')),
  },
  returns: Comment,
  emits: [commentCreated],
  example: {
    params: { task_id: '{task}' },
    body: { workspace: '{workspace}', body: 'Ready for review.' },
  },
  async handle(context) {
    const { caller, body, now } = context
    for (const name of ['created', 'author'] as const) {
      if (body[name] !== undefined && !caller.scopes.has('api:manage')) {
        const message = `${name} needs the scope api:manage, which the credential does not have.`
        throw refuse('insufficient_scope', { param: name, message })
      }
    }
    if (body.created !== undefined && millis(body.created) > now) {
      throw refuse('invalid_request_body', { param: 'created', message: `created ${body.created} is in the future.` })
    }
    if (body.author !== undefined) await findReference(userNoun, context, body.author, 'author')
    const author =
      body.author === undefined ? { type: 'service_user', id: caller.serviceUser } : { type: 'user', id: body.author }
    const created = body.created === undefined ? now : millis(body.created)
    return showComment(createComment(context, context.parent, body.body, author, { created }))
  },
})
