import { listOperation } from '../../api/declare/operation.ts'
import { idParameter, wordListParameter, wordParameter } from '../../api/declare/parameters.ts'
import { kind_names } from '../../notifications/kinds.ts'
import { notificationNoun } from './notification.ts'
import { listEntries, states } from './queries.ts'

/**
 * Lists the inbox of the person for whom the credential acts, newest first: of an organization's key that of the API service user.
 * Titles and excerpts are as they are now, and null for what the credential may not read.
 */
export const listNotifications = listOperation({
  id: 'notifications.list',
  method: 'GET',
  path: '/v1/notifications',
  summary: 'List notifications',
  scope: 'tasks:read',
  credits: 5,
  extension: true,
  paging: 'id',
  fields: true,
  lists: notificationNoun,
  query: {
    state: wordParameter(states, '`unread`, `read`, `snoozed`, or `open`: all that are not put off. Default: all.'),
    kinds: wordListParameter(
      kind_names,
      `Kinds of entries: ${kind_names.map((kind) => `\`${kind}\``).join(', ')}. Default: all.`,
    ),
    subject: idParameter('Only entries about this task, board or run.'),
  },
  async handle(context) {
    const { state, kinds, subject } = context.query
    return await listEntries(context, { state, kinds, subject })
  },
})
