/**
 * The files that a guest sees: those that are attached to a task of the guest's projects or to a comment on one, and the guest's own
 * uploads, which are attached to nothing at first.
 */
import { actingUser, type Caller } from '../../api/declare/caller.ts'
import { isOneOf } from '../../db/dialect.ts'
import { query } from '../../db/query.ts'
import type { FileRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

interface AttachedTo {
  readonly object: string
  readonly id: string
}

interface Sought {
  readonly [name: string]: string | number
  readonly realm: number
  readonly ids: string
  readonly projects: string
}

const tasksAmong = query<{ id: string }, Sought>((db, p, dialect) =>
  db
    .selectFrom('tasks')
    .select('id')
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids')))
    .where(isOneOf(dialect, 'project', p('projects'))),
)

const commentsAmong = query<{ id: string }, Sought>((db, p, dialect) =>
  db
    .selectFrom('comments')
    .innerJoin('tasks', (join) =>
      join.onRef('tasks.realm', '=', 'comments.realm').onRef('tasks.id', '=', 'comments.task'),
    )
    .select('comments.id')
    .where('comments.realm', '=', p('realm'))
    .where(isOneOf(dialect, 'comments.id', p('ids')))
    .where(isOneOf(dialect, 'tasks.project', p('projects'))),
)

const pairsOfFile = query<AttachedTo, { realm: number; file: string }>((db, p) =>
  db
    .selectFrom('file_attachments')
    .select(['object', 'id'])
    .where('realm', '=', p('realm'))
    .where('file', '=', p('file')),
)

/** Those of some objects that the caller sees. */
export async function seenObjects(
  reader: Reader,
  { guest, realm }: Caller,
  objects: readonly AttachedTo[],
): Promise<readonly AttachedTo[]> {
  if (guest === null || objects.length === 0) return objects
  const sought = {
    realm,
    ids: JSON.stringify(objects.map(({ id }) => id)),
    projects: JSON.stringify([...guest.projects]),
  }
  const [tasks, comments] = await Promise.all([reader.all(tasksAmong, sought), reader.all(commentsAmong, sought)])
  const seen = new Set([...tasks, ...comments].map(({ id }) => id))
  return objects.filter(({ id }) => seen.has(id))
}

export async function isFileOfGuest(reader: Reader, caller: Caller, file: FileRow): Promise<boolean> {
  const own = file.creator_type === 'user' && file.creator_id === actingUser(caller)
  if (own && caller.guest?.workspaces.has(file.workspace)) return true
  const pairs = await reader.all(pairsOfFile, { realm: file.realm, file: file.id })
  return (await seenObjects(reader, caller, pairs)).length > 0
}
