/**
 * Writes a mail when it is sent: as the entries and their subjects are then, by the rights that the person has then. Notices go only
 * to the address with which the person signs in, which the person has proved by a link or a password; a person who has no account gets none.
 */

import { sql } from 'kysely'
import { accessOfRole } from '../../../api/request/guest-access.ts'
import { scopesOfSession } from '../../../api/request/session-credentials.ts'
import type { Services } from '../../../api/services.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { MailRow, NotificationRow } from '../../../db/schema.ts'
import { mailContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader } from '../../../db/store.ts'
import { mail_limits } from '../../../mail/limits.ts'
import { reply_marker } from '../../../mail/reply-text.ts'
import type { Mail } from '../../../mail/smtp.ts'
import { isOfProjects } from '../../../notifications/heard-by-guests.ts'
import type { KindName } from '../../../notifications/kinds.ts'
import {
  digestLetter,
  type FlowLetter,
  flowLetter,
  noticeLetter,
  type Told,
} from '../../../notifications/mail-texts.ts'
import {
  automation_mail,
  mailWayOf,
  type Preferences,
  preferencesOf,
  takesAutomationMail,
} from '../../../notifications/preferences.ts'
import { replyAddress } from '../../../notifications/reply-address.ts'
import { unsubscribeUrl } from '../../../notifications/unsubscribe.ts'
import { showNotifications } from './shown.ts'

/** The address with which an active member signs in. */
export const recipient = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('accounts', 'accounts.id', 'account_memberships.account')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .select(['accounts.email', 'account_memberships.role'])
    .where('account_memberships.organization', '=', p('organization'))
    .where('account_memberships.user', '=', p('user'))
    .where('members.status', '=', 'active'),
)

export const entryById = query<NotificationRow, { realm: number; id: string; user: string }>((db, p) =>
  db
    .selectFrom('notifications')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('user', '=', p('user'))
    .where('deleted_at', 'is', null),
)

interface Unread {
  readonly [name: string]: string | number
  readonly realm: number
  readonly user: string
  readonly from: number
  readonly to: number
  readonly now: number
  /** 1 for a guest, who hears only of the projects of `seen`. */
  readonly is_guest: number
  readonly seen: string
}

const unreadBetween = query<NotificationRow, Unread>((db, p, dialect) =>
  db
    .selectFrom('notifications')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('user', '=', p('user'))
    .where('created', '>', p('from'))
    .where('created', '<=', p('to'))
    .where('deleted_at', 'is', null)
    .where('read_at', 'is', null)
    .where((or) => or.or([or('snoozed_until', 'is', null), or('snoozed_until', '<=', p('now'))]))
    .where(sql<boolean>`(${p('is_guest')} = 0 or ${isOfProjects(dialect, p('seen'))})`)
    .orderBy('id', 'desc'),
)

const namesOf = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .select(['user', 'first_name', 'last_name', 'email'])
    .where('organization', '=', p('organization'))
    .where(isOneOf(dialect, 'user', p('users'))),
)

const teamNames = query((db, p: Placeholder<{ organization: string; teams: string }>, dialect) =>
  db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('organization', '=', p('organization'))
    .where(isOneOf(dialect, 'id', p('teams'))),
)

export type Letter = Omit<Mail, 'messageId'>

export type Rendering = Pick<Services, 'store' | 'sealer' | 'settings' | 'clock'>

/** Null if there is nothing to say any longer. */
export async function renderMail(services: Rendering, mail: MailRow): Promise<Letter | null> {
  if (mail.kind === 'link')
    return JSON.parse(services.sealer.open(mail.content, mailContext(mail.realm, mail.id))) as Letter
  const { organization, user, realm } = mail
  const reader = services.store.reader('system')
  const to = await reader.first(recipient, { organization, user })
  if (to === undefined) return null
  const preferences = await preferencesOf(reader, organization, user)
  if (mail.kind === 'letter') {
    if (to.role === 'guest' || !takesAutomationMail(preferences)) return null
    const { sealer, settings } = services
    const unsubscribe = unsubscribeUrl(sealer, settings.publicUrl, { organization, user, kind: automation_mail })
    const letter = flowLetter(JSON.parse(mail.content) as FlowLetter, settings.publicUrl, unsubscribe)
    return { to: to.email, ...letter, thread: null, replyTo: null, unsubscribe }
  }
  const guest = await accessOfRole(reader, to.role, { organization, realm, user })
  const rights = { realm, scopes: scopesOfSession(false, to.role), guest }
  return mail.kind === 'notice'
    ? await renderNotice(services, reader, mail, { to: to.email, preferences, rights })
    : await renderDigest(services, reader, mail, { to: to.email, preferences, rights })
}

interface Person {
  readonly to: string
  readonly preferences: Preferences
  readonly rights: Parameters<typeof showNotifications>[1]
}

async function renderNotice(
  { sealer, settings }: Rendering,
  reader: Reader,
  { realm, organization, user, content }: MailRow,
  { to, preferences, rights }: Person,
): Promise<Letter | null> {
  const { notification } = JSON.parse(content) as { notification: string }
  const entry = await reader.first(entryById, { realm, id: notification, user })
  if (entry === undefined || entry.read_at !== null) return null
  const kind = entry.kind as KindName
  if (mailWayOf(preferences, kind) === 'never') return null
  const [told] = await toldOf(reader, rights, organization, [entry])
  if (told === undefined) return null
  const unsubscribe = unsubscribeUrl(sealer, settings.publicUrl, { organization, user, kind })
  const letter = noticeLetter(told, settings.publicUrl, unsubscribe)
  const { replyDomain } = settings
  if (replyDomain === null || entry.subject_type !== 'task')
    return { to, ...letter, thread: entry.subject, replyTo: null, unsubscribe }
  const replyTo = replyAddress(sealer, replyDomain, { realm, notification: entry.id })
  const text = `${reply_marker}\n\n${letter.text}`
  return { to, ...letter, text, thread: entry.subject, replyTo, unsubscribe }
}

async function renderDigest(
  { sealer, settings, clock }: Rendering,
  reader: Reader,
  { realm, organization, user, content }: MailRow,
  { to, preferences, rights }: Person,
): Promise<Letter | null> {
  const between = JSON.parse(content) as { from: number; to: number }
  const { guest } = rights
  const limited = { is_guest: guest === null ? 0 : 1, seen: JSON.stringify([...(guest?.projects ?? [])]) }
  const unread = await reader.all(unreadBetween, { realm, user, ...between, now: clock.now(), ...limited })
  const entries = unread.filter(({ kind }) => mailWayOf(preferences, kind as KindName) === 'digest')
  const most = mail_limits.mail_digest_entries_max
  const told = await toldOf(reader, rights, organization, entries.slice(0, most))
  if (told.length === 0) return null
  const unsubscribe = unsubscribeUrl(sealer, settings.publicUrl, { organization, user, kind: 'digest' })
  const letter = digestLetter(told, Math.max(0, entries.length - most), settings.publicUrl, unsubscribe)
  return { to, ...letter, thread: null, replyTo: null, unsubscribe }
}

/** What the person may read of the entries; those without a readable title are left out. */
export async function toldOf(
  reader: Reader,
  rights: Person['rights'],
  organization: string,
  entries: readonly NotificationRow[],
): Promise<Told[]> {
  const shown = await showNotifications(reader, rights, entries)
  const users = JSON.stringify(entries.flatMap(({ actor_id }) => actor_id ?? []))
  const names = new Map((await reader.all(namesOf, { organization, users })).map((row) => [row.user, nameOf(row)]))
  // A guest sees no team.
  const teams = rights.guest === null ? await teamsOf(reader, organization, entries) : new Map<string, string>()
  return entries.flatMap((entry, i) => {
    const { title = null, key = null, excerpt = null } = shown[i] ?? {}
    const actor = names.get(entry.actor_id ?? '') ?? null
    return title === null ? [] : [{ entry, title, key, excerpt, actor, team: teams.get(teamOf(entry) ?? '') ?? null }]
  })
}

/** The names of the teams by which entries mention the person; of a deleted team its last one. */
async function teamsOf(reader: Reader, organization: string, entries: readonly NotificationRow[]) {
  const ids = entries.flatMap((entry) => teamOf(entry) ?? [])
  const rows = ids.length === 0 ? [] : await reader.all(teamNames, { organization, teams: JSON.stringify(ids) })
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function teamOf({ kind, details }: NotificationRow): string | undefined {
  return kind === 'mentioned' ? (JSON.parse(details) as { team?: string }).team : undefined
}

interface Named {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
}

function nameOf({ first_name, last_name, email }: Named): string | null {
  return [first_name, last_name].filter((part) => part !== null).join(' ') || email
}
