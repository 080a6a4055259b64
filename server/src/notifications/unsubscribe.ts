/** Links that end mail without signing in. Each ends one kind of mail, the digest, or mail of automations, of one person in one organization. */
import type { Sealer } from '../lib/seal.ts'
import { sameBytes } from '../lib/seal.ts'
import { isKindName, type KindName, kind_names, kinds } from './kinds.ts'
import { automation_mail, type Preferences } from './preferences.ts'

export type Ended = KindName | 'digest' | typeof automation_mail

export interface Unsubscription {
  readonly organization: string
  readonly user: string
  readonly kind: Ended
}

const signedText = ({ organization, user, kind }: Unsubscription) => `${organization}\n${user}\n${kind}`

export function unsubscribeUrl(sealer: Sealer, publicUrl: string, link: Unsubscription): string {
  const signature = sealer.mac('unsubscribe', signedText(link)).toString('base64url')
  const { organization, user, kind } = link
  return `${publicUrl}/mail/unsubscribe?${new URLSearchParams({ organization, user, kind, signature })}`
}

/** What a URL ends; null if its signature is wrong. */
export function readUnsubscribe(sealer: Sealer, rawQuery: string): Unsubscription | null {
  const query = new URLSearchParams(rawQuery)
  const part = (name: string) => query.get(name) ?? ''
  const kind = part('kind')
  if (kind !== 'digest' && kind !== automation_mail && !isKindName(kind)) return null
  const link: Unsubscription = { organization: part('organization'), user: part('user'), kind }
  const expected = sealer.mac('unsubscribe', signedText(link)).toString('base64url')
  return sameBytes(part('signature'), expected) ? link : null
}

/** The person's choices without what the link ends: of a digest, every kind that comes with it. */
export function endMail(preferences: Preferences, kind: Ended): Preferences {
  const ended =
    kind === 'digest' ? kind_names.filter((name) => (preferences.mail[name] ?? kinds[name].mail) === 'digest') : [kind]
  return { ...preferences, mail: { ...preferences.mail, ...Object.fromEntries(ended.map((name) => [name, 'never'])) } }
}
