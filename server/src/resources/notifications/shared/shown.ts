/** What entries show of their subjects: read when the entry is read, by the rights of the credential at that time. */
import type { Caller } from '../../../api/declare/caller.ts'
import type { Scope } from '../../../api/declare/scopes.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, type Query, query } from '../../../db/query.ts'
import type { NotificationRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { inbox_limits } from '../../../notifications/limits.ts'
import { withPlainMentions } from '../../../text/mentions.ts'
import { type Ended, type Notification, showNotification } from '../notification.ts'

interface Wanted {
  readonly [name: string]: string | number
  readonly realm: number
  readonly ids: string
}

type Ids = Placeholder<Wanted>

/** A title, and of a task its key. */
interface Titled {
  readonly id: string
  readonly title: string
  readonly key?: string
  readonly project?: string | null
}

const tasks = query<Titled, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('tasks')
    .select(['id', 'title', 'key', 'project'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const boards = query<Titled, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('boards')
    .select(['id', 'name as title', 'project'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const flows = query<Titled, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('automation_flows')
    .select(['id', 'name as title'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const comments = query<{ id: string; body: string }, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('comments')
    .select(['id', 'body'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const boardComments = query<{ id: string; body: string }, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('board_comments')
    .select(['id', 'body'])
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .where(isOneOf(dialect, 'id', p('ids'))),
)

interface Approval extends Ended {
  readonly id: string
  readonly body: string
}

const approvals = query<Approval, Wanted>((db, p: Ids, dialect) =>
  db
    .selectFrom('automation_approvals')
    .select(['id', 'text as body', 'status', 'decided_by'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids'))),
)

/** Who reads: a credential's realm and scopes, and what a guest sees. */
export type Rights = Pick<Caller, 'realm' | 'scopes' | 'guest'>

/** The entries as the credential may see them. */
export async function showNotifications(
  reader: Reader,
  { realm, scopes, guest }: Rights,
  rows: readonly NotificationRow[],
): Promise<Notification[]> {
  const read = async <R extends { readonly id: string }>(scope: Scope, ids: string[], from: Query<R, Wanted>) =>
    scopes.has(scope) && ids.length > 0 ? await reader.all(from, { realm, ids: JSON.stringify([...new Set(ids)]) }) : []
  const subjectsOf = (type: string) => rows.flatMap((row) => (row.subject_type === type ? row.subject : []))
  const titled = await Promise.all([
    read('tasks:read', subjectsOf('task'), tasks),
    read('boards:read', subjectsOf('board'), boards),
    read('automations:read', rows.flatMap(flowOf), flows),
  ])
  const commentsOf = (type: string) => rows.flatMap((row) => (row.subject_type === type ? (row.comment ?? []) : []))
  const asked = await read('automations:read', rows.flatMap(approvalOf), approvals)
  const ended = new Map(asked.flatMap((each) => (each.status === 'pending' ? [] : [[each.id, each]])))
  const found = await Promise.all([
    read('comments:read', commentsOf('task'), comments),
    read('boards:read', commentsOf('board'), boardComments),
  ])
  const bodies = new Map([...found.flat(), ...asked].map(({ id, body }) => [id, body]))
  const isSeen = ({ project }: Titled) => guest === null || guest.projects.has(project ?? '')
  const subjects = new Map(
    titled
      .flat()
      .filter(isSeen)
      .map((each) => [each.id, each]),
  )
  return rows.map((row) => {
    const subject = subjects.get(flowOf(row)[0] ?? row.subject)
    const quoted = row.comment ?? approvalOf(row)[0] ?? ''
    const body = guest === null || subject !== undefined ? bodies.get(quoted) : undefined
    const excerpt = body === undefined ? null : cut(withPlainMentions(body))
    const shown = { title: subject?.title ?? null, key: subject?.key ?? null, excerpt }
    return showNotification(row, { ...shown, ended: ended.get(quoted) ?? null })
  })
}

function flowOf({ subject_type, details }: NotificationRow): string[] {
  if (subject_type !== 'automation_run' && subject_type !== 'automation_flow') return []
  const { automation_flow } = JSON.parse(details) as { automation_flow?: string }
  return automation_flow === undefined ? [] : [automation_flow]
}

function approvalOf({ kind, details }: NotificationRow): string[] {
  return kind === 'approval' ? [(JSON.parse(details) as { approval: string }).approval] : []
}

/** Cuts between characters. */
function cut(text: string): string {
  const { inbox_excerpt_chars_max: excerpt_chars_max } = inbox_limits
  const chars = [...text.slice(0, 2 * excerpt_chars_max)]
  return chars.length <= excerpt_chars_max ? chars.join('') : `${chars.slice(0, excerpt_chars_max - 1).join('')}…`
}
