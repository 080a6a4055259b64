/** Who wrote comments, from the audit log: for the API, the author of every comment is the organization's service user. */
import { actingUser, type Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { query } from '../../../db/query.ts'
import type { CommentRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'

interface Sought {
  readonly [name: string]: string | number
  readonly organization: string
  readonly realm: number
  readonly comments: string
}

const creationsOf = query<{ actor: string; target: string }, Sought>((db, p, dialect) =>
  db
    .selectFrom('audit_entries')
    .select(['actor', 'target'])
    .where('organization', '=', p('organization'))
    .where('realm', '=', p('realm'))
    .where('action', '=', 'task_comments.create')
    .where(isOneOf(dialect, 'target', p('comments'))),
)

/** The actor who created each comment, by its id. */
export async function authorsOf(
  reader: Reader,
  caller: Caller,
  comments: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (comments.length === 0) return new Map()
  const { organization, realm } = caller
  const entries = await reader.all(creationsOf, { organization, realm, comments: JSON.stringify(comments) })
  return new Map(entries.map(({ target, actor }) => [target, actor]))
}

/** Refuses a guest the comment of another person. */
export async function requireOwnOfGuest(reader: Reader, caller: Caller, { id }: CommentRow): Promise<void> {
  if (caller.guest === null) return
  if ((await authorsOf(reader, caller, [id])).get(id) === actingUser(caller)) return
  throw refuse('insufficient_scope', { message: 'A guest changes only own comments.' })
}
