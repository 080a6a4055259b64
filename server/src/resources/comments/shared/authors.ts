/** Who wrote comments, from the audit log: for the API, the author of every comment is the organization's service user. */
import { actingUser, type Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { CommentRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { readEntries } from '../../audit_logs/queries.ts'

/** The actor who created each comment, by its id. */
export async function authorsOf(
  reader: Reader,
  caller: Caller,
  comments: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (comments.length === 0) return new Map()
  const filters = { action: ['task_comments.create'], target: comments }
  const entries = await readEntries(reader, caller, filters, undefined, comments.length)
  return new Map(entries.map(({ target, actor }) => [target, actor]))
}

/** Refuses a guest the comment of another person. */
export async function requireOwnOfGuest(reader: Reader, caller: Caller, { id }: CommentRow): Promise<void> {
  if (caller.guest === null) return
  if ((await authorsOf(reader, caller, [id])).get(id) === actingUser(caller)) return
  throw refuse('insufficient_scope', { message: 'A guest changes only own comments.' })
}
