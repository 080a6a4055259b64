/** SQL of the inbox: a page, the counts, and marking many entries. */
import { sql } from 'kysely'
import { actingUser, type Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Page, PageQuery } from '../../api/declare/page-shape.ts'
import { readPageRequest, toPage } from '../../api/request/page.ts'
import { isOneOf } from '../../db/dialect.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../db/query.ts'
import type { NotificationRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { isOfProjects } from '../../notifications/heard-by-guests.ts'
import type { KindName } from '../../notifications/kinds.ts'
import { notificationNoun } from './notification.ts'
import { showNotifications } from './shared/shown.ts'

/** `open`: not put off. */
export const states = ['open', 'unread', 'read', 'snoozed'] as const
type State = (typeof states)[number]

export interface Criteria {
  readonly state: State | undefined
  readonly kinds: readonly KindName[] | undefined
  readonly subject: string | undefined
}

interface Values {
  readonly [name: string]: string | number
  readonly realm: number
  readonly user: string
  readonly now: number
  readonly kinds: string
  readonly subject: string
  readonly cursor: string
  readonly seen: string
}

const conditions: Readonly<Record<State, (now: unknown) => ReturnType<typeof sql<boolean>>>> = {
  open: (now) => sql<boolean>`coalesce(snoozed_until, 0) <= ${now}`,
  unread: (now) => sql<boolean>`read_at is null and coalesce(snoozed_until, 0) <= ${now}`,
  read: (now) => sql<boolean>`read_at is not null and coalesce(snoozed_until, 0) <= ${now}`,
  snoozed: (now) => sql<boolean>`snoozed_until > ${now}`,
}

/** A page of the caller's own entries, newest first. A cursor of another person's entry is as invalid as an unknown one. */
export async function listEntries(
  { reader, caller, now, query: asked }: { reader: Reader; caller: Caller; now: number; query: object },
  { state, kinds, subject }: Criteria,
): Promise<Page> {
  const page = readPageRequest(asked as PageQuery)
  const user = actingUser(caller)
  if (page.cursor !== null) {
    const row = await notificationNoun.find(reader, caller, page.cursor)
    if (row === undefined || row.user !== user) throw refuse('cursor_invalid', { param: page.param })
  }
  const cursor = page.cursor === null ? '' : page.param
  const shape = `inbox ${state} ${kinds === undefined} ${subject === undefined} ${cursor} ${page.limit} ${caller.guest === null}`
  const select = shapedQuery<NotificationRow, Values>(shape, (db, p, dialect) => {
    let rows = db
      .selectFrom('notifications')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('user', '=', p('user'))
      .where('deleted_at', 'is', null)
    if (state !== undefined) rows = rows.where(conditions[state](p('now')))
    if (kinds !== undefined) rows = rows.where(isOneOf(dialect, 'kind', p('kinds')))
    if (subject !== undefined) rows = rows.where('subject', '=', p('subject'))
    if (caller.guest !== null) rows = rows.where(isOfProjects(dialect, p('seen')))
    if (page.cursor !== null) rows = rows.where('id', page.backwards ? '>' : '<', p('cursor'))
    return rows.orderBy('id', page.backwards ? 'asc' : 'desc').limit(literal(page.limit + 1))
  })
  const values = {
    realm: caller.realm,
    user,
    now,
    cursor: page.cursor ?? '',
    subject: subject ?? '',
    seen: seenBy(caller),
  }
  const rows = await reader.all(select, { ...values, kinds: JSON.stringify(kinds ?? []) })
  const found = toPage(
    rows,
    page,
    (row) => row,
    ({ id }) => id,
  )
  // The shown items need more rows, which are read together.
  return { ...found, data: await showNotifications(reader, caller, found.data as readonly NotificationRow[]) }
}

/** The projects of a guest as a JSON array. */
function seenBy({ guest }: Caller): string {
  return JSON.stringify([...(guest?.projects ?? [])])
}

interface Counted {
  readonly [name: string]: string | number
  readonly realm: number
  readonly user: string
  readonly now: number
  readonly seen: string
  /** 1 for a guest. */
  readonly is_guest: number
}

const counted = query((db, p: Placeholder<Counted>, dialect) =>
  db
    .selectFrom('notifications')
    .select((eb) => [
      eb.fn.count<number>('id').distinct().as('entries'),
      eb.fn.count<number>('subject').distinct().as('subjects'),
    ])
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null)
    .where('read_at', 'is', null)
    .where((or) => or.or([or('snoozed_until', 'is', null), or('snoozed_until', '<=', p('now'))]))
    .where(sql<boolean>`(${p('is_guest')} = 0 or ${isOfProjects(dialect, p('seen'))})`),
)

/** How many unread entries the caller has, and about how many subjects. */
export async function countUnread(reader: Reader, caller: Caller, now: number) {
  const asked = { realm: caller.realm, user: actingUser(caller), now, ...guestValues(caller) }
  const found = await reader.first(counted, asked)
  return { unread: Number(found?.entries ?? 0), unread_subjects: Number(found?.subjects ?? 0) }
}

/** The values of the condition on what a guest sees. */
export function guestValues(caller: Caller) {
  return { seen: seenBy(caller), is_guest: caller.guest === null ? 0 : 1 }
}

interface Marking {
  readonly [name: string]: string | number
  readonly realm: number
  readonly user: string
  readonly now: number
  readonly through: string
  readonly seen: string
  /** 1 for a guest. */
  readonly is_guest: number
  /** `''`: all subjects. */
  readonly subject: string
}

/** Marks unread entries that are not put off, up to an id, of one subject or of all. */
export const markRead = query<unknown, Marking>((db, p, dialect) =>
  db
    .updateTable('notifications')
    .set((eb) => ({ read_at: p('now'), updated: p('now'), revision: eb('revision', '+', 1) }))
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null)
    .where('read_at', 'is', null)
    .where('id', '<=', p('through'))
    .where((or) => or.or([or('snoozed_until', 'is', null), or('snoozed_until', '<=', p('now'))]))
    .where(sql<boolean>`${p('subject')} in ('', subject)`)
    .where(sql<boolean>`(${p('is_guest')} = 0 or ${isOfProjects(dialect, p('seen'))})`),
)
