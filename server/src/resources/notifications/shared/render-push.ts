/**
 * Writes what a browser shows about an entry, when it is sent: as the entry and its subject are then, by the rights that the person
 * has then. Null if there is nothing to say any longer, or the person has chosen not to be told.
 */
import { createHash } from 'node:crypto'
import { accessOfRole } from '../../../api/request/guest-access.ts'
import { scopesOfSession } from '../../../api/request/session-credentials.ts'
import type { PushRow } from '../../../db/schema.ts'
import type { KindName } from '../../../notifications/kinds.ts'
import { inbox_limits } from '../../../notifications/limits.ts'
import { pathOf, sentence, type Told, withNamedImages } from '../../../notifications/mail-texts.ts'
import { isPushed, preferencesOf } from '../../../notifications/preferences.ts'
import { entryById, type Rendering, recipient, toldOf } from './render-mail.ts'

/** What the service worker of the console reads. */
interface Shown {
  readonly title: string
  readonly body: string
  /** Where a click leads: a path of the console. */
  readonly path: string
  /** A notice takes the place of an earlier one with the same tag. */
  readonly tag: string
}

export interface Notice {
  readonly payload: string
  readonly topic: string
}

export async function renderPush(
  { store, clock }: Pick<Rendering, 'store' | 'clock'>,
  push: PushRow,
): Promise<Notice | null> {
  const { realm, organization, user, notification } = push
  const reader = store.reader('system')
  const person = await reader.first(recipient, { organization, user })
  const entry = await reader.first(entryById, { realm, id: notification, user })
  if (person === undefined || entry === undefined || entry.read_at !== null) return null
  if (entry.snoozed_until !== null && entry.snoozed_until > clock.now()) return null
  if (!isPushed(await preferencesOf(reader, organization, user), entry.kind as KindName)) return null
  const guest = await accessOfRole(reader, person.role, { organization, realm, user })
  const rights = { realm, scopes: scopesOfSession(false, person.role), guest }
  const [told] = await toldOf(reader, rights, organization, [entry])
  if (told === undefined) return null
  const tag = topicOf(realm, entry.subject)
  const place = pathOf(told)
  const path = `${place}${place.includes('?') ? '&' : '?'}organization=${organization}`
  const shown: Shown = { title: titleOf(told), body: bodyOf(told), path, tag }
  return { payload: JSON.stringify(shown), topic: tag }
}

/** One topic for each subject, without its id: the push service sees it. At most 32 characters (RFC 8030). */
function topicOf(realm: number, subject: string): string {
  return createHash('sha256').update(`${realm} ${subject}`).digest('base64url').slice(0, 32)
}

function titleOf({ key, title }: Told): string {
  return cut(key === null ? title : `${key} ${title}`, inbox_limits.push_title_chars_max)
}

function bodyOf(told: Told): string {
  return cut([sentence(told), withNamedImages(told.excerpt ?? '')].join(' ').trim(), inbox_limits.push_body_chars_max)
}

/** The text in one line, with at most `most` characters. */
function cut(text: string, most: number): string {
  const chars = [...text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()]
  return chars.length <= most ? chars.join('') : `${chars.slice(0, most - 1).join('')}…`
}
