/**
 * What a person has chosen in an organization: time zone, language of dates, first day of the week, what comes by mail, what browsers
 * show, and what the console keeps at hand.
 */
import type { Mode } from '../api/declare/caller.ts'
import { query } from '../db/query.ts'
import type { PreferenceRow } from '../db/schema.ts'
import type { Reader, Tx } from '../db/store.ts'
import { type KindName, kinds } from './kinds.ts'

export const mail_ways = ['at_once', 'digest', 'never'] as const
export type MailWay = (typeof mail_ways)[number]

/** What automations write to a person (`mail.send`). It is no entry of the inbox, so it comes at once or never. */
export const automation_mail = 'automation_mail'

export interface Preferences {
  readonly time_zone: string | null
  readonly language: string | null
  /** 1 is Monday, 7 is Sunday. */
  readonly week_starts_on: number | null
  /** The kinds for which the person has chosen, and mail of automations. */
  readonly mail: Readonly<Partial<Record<KindName | typeof automation_mail, MailWay>>>
  /** The kinds for which the person has chosen whether browsers show them. */
  readonly push: Readonly<Partial<Record<KindName, boolean>>>
  /** By mode the ids of projects, boards and flows, in the person's order. */
  readonly favorites: Readonly<Partial<Record<Mode, readonly string[]>>>
  /** Minutes of the person's day; both or neither. */
  readonly quiet_from: number | null
  readonly quiet_to: number | null
}

export const no_preferences: Preferences = {
  time_zone: null,
  language: null,
  week_starts_on: null,
  mail: {},
  push: {},
  favorites: {},
  quiet_from: null,
  quiet_to: null,
}

const find = query<PreferenceRow, { organization: string; user: string }>((db, p) =>
  db.selectFrom('preferences').selectAll().where('organization', '=', p('organization')).where('user', '=', p('user')),
)

const store = query<never, { readonly [K in keyof PreferenceRow]: PreferenceRow[K] }>((db, p) =>
  db
    .insertInto('preferences')
    .values({
      organization: p('organization'),
      user: p('user'),
      time_zone: p('time_zone'),
      language: p('language'),
      week_starts_on: p('week_starts_on'),
      mail: p('mail'),
      push: p('push'),
      favorites: p('favorites'),
      quiet_from: p('quiet_from'),
      quiet_to: p('quiet_to'),
      created: p('created'),
      updated: p('updated'),
    })
    .onConflict((conflict) =>
      conflict.columns(['organization', 'user']).doUpdateSet((eb) => ({
        time_zone: eb.ref('excluded.time_zone'),
        language: eb.ref('excluded.language'),
        week_starts_on: eb.ref('excluded.week_starts_on'),
        mail: eb.ref('excluded.mail'),
        push: eb.ref('excluded.push'),
        favorites: eb.ref('excluded.favorites'),
        quiet_from: eb.ref('excluded.quiet_from'),
        quiet_to: eb.ref('excluded.quiet_to'),
        updated: eb.ref('excluded.updated'),
      })),
    ),
)

export async function preferencesOf(reader: Reader, organization: string, user: string): Promise<Preferences> {
  const row = await reader.first(find, { organization, user })
  return row === undefined ? no_preferences : readPreferences(row)
}

const choices = query<PreferenceRow, { organization: string }>((db, p) =>
  db.selectFrom('preferences').selectAll().where('organization', '=', p('organization')),
)

/** What the people of an organization have chosen, by user. */
export async function allPreferences(reader: Reader, organization: string): Promise<Map<string, Preferences>> {
  const rows = await reader.all(choices, { organization })
  return new Map(rows.map((row) => [row.user, readPreferences(row)]))
}

function readPreferences({ time_zone, language, week_starts_on, quiet_from, quiet_to, ...row }: PreferenceRow) {
  const mail = JSON.parse(row.mail) as Preferences['mail']
  const push = JSON.parse(row.push) as Preferences['push']
  const favorites = JSON.parse(row.favorites) as Preferences['favorites']
  return { time_zone, language, week_starts_on, mail, push, favorites, quiet_from, quiet_to }
}

export function storePreferences(
  tx: Tx,
  { organization, user, now }: { readonly organization: string; readonly user: string; readonly now: number },
  { mail, push, favorites, ...chosen }: Preferences,
): void {
  const texts = { mail: JSON.stringify(mail), push: JSON.stringify(push), favorites: JSON.stringify(favorites) }
  tx.write(store, { organization, user, ...chosen, ...texts, created: now, updated: now })
}

/** When entries of a kind are sent to a person. */
export function mailWayOf({ mail }: Pick<Preferences, 'mail'>, kind: KindName): MailWay {
  return mail[kind] ?? kinds[kind].mail
}

/** Whether a person takes mail of automations. */
export function takesAutomationMail({ mail }: Pick<Preferences, 'mail'>): boolean {
  return mail[automation_mail] !== 'never'
}

/** Whether a person's browsers show entries of a kind. */
export function isPushed({ push }: Pick<Preferences, 'push'>, kind: KindName): boolean {
  return push[kind] ?? kinds[kind].push
}
