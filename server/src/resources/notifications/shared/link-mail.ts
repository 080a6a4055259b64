/** Queues a mail with a link, in the transaction that creates the link. The stored mail is sealed. */
import type { Services } from '../../../api/services.ts'
import { mailContext } from '../../../db/secret-key/sealed-values.ts'
import type { Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { newMail, planMail } from '../../../notifications/mail-plan.ts'
import type { Letter as Text } from '../../../notifications/mail-texts.ts'
import type { Letter } from './render-mail.ts'

export interface Addressee {
  /** The live realm of the organization. */
  readonly realm: number
  readonly organization: string
  readonly user: string
  readonly email: string
}

export function queueLinkMail(
  { sealer }: Pick<Services, 'sealer'>,
  tx: Tx,
  { realm, organization, user, email }: Addressee,
  text: Text,
  now: number,
): void {
  const letter: Letter = { to: email, ...text, thread: null, replyTo: null, unsubscribe: null }
  const id = newId('mal', now)
  const content = sealer.seal(JSON.stringify(letter), mailContext(realm, id))
  planMail(tx, newMail({ realm, id, organization, user, kind: 'link', content, due_at: now }, now))
}
