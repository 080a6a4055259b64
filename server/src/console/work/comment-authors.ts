/** The names of the people who wrote comments. Guests cannot read them from the audit log, where they are. */
import { refuse } from '../../api/declare/errors.ts'
import { namesParameter, type Parameter, required } from '../../api/declare/parameters.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { authorsOf } from '../../resources/comments/shared/authors.ts'
import { taskNoun } from '../../resources/tasks/task.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { nameOf } from '../people/retrieve-directory.ts'
import { callerOfSession } from '../sessions/session.ts'

const names = namesParameter(console_limits.console_comments_max, 'ids of comments, separated by commas')

const commentsParameter: Parameter<string> & { readonly required: true } = required({
  ...names,
  read: (texts, name) => names.read(texts, name).join(','),
})

const commentsOfTask = query((db, p: Placeholder<{ realm: number; task: string; ids: string }>, dialect) =>
  db
    .selectFrom('comments')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('task', '=', p('task'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const membersAmong = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .select(['user', 'first_name', 'last_name', 'email'])
    .where('organization', '=', p('organization'))
    .where(isOneOf(dialect, 'user', p('users'))),
)

/** Names the authors of a task's comments; unknown ids, and comments that no person wrote, are left out. */
export const listCommentAuthors = endpoint('GET tasks/{id}/comment-authors', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter, comments: commentsParameter },
  async handle({ services, session, query, params }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const { organization, realm } = caller
    const task = await taskNoun.find(reader, caller, params.id ?? '')
    if (task === undefined || task.deleted_at !== null) throw refuse('resource_not_found', { param: 'id' })
    const ids = JSON.stringify(query.comments.split(','))
    const comments = await reader.all(commentsOfTask, { realm, task: task.id, ids })
    const authors = await authorsOf(
      reader,
      caller,
      comments.map(({ id }) => id),
    )
    const users = JSON.stringify([...new Set(authors.values())])
    const people = new Map((await reader.all(membersAmong, { organization, users })).map((row) => [row.user, row]))
    const data = [...authors].flatMap(([comment, id]) => {
      const person = people.get(id)
      return person === undefined ? [] : [{ comment, author: id, name: nameOf(person) }]
    })
    return { data }
  },
})
