/**
 * The mail.send: stores a mail for each recipient in the transaction of the step; the worker that sends all mail sends them
 * (contract/16#mail). Recipients are people of the organization, at the address with which they sign in when it is sent. A mail
 * waits for the end of a person's quiet hours, and a person who takes no mail of automations is left out.
 */
import type { StepInputs } from '../../../automations/resolve.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { afterQuiet, newMail, planMail } from '../../../notifications/mail-plan.ts'
import { type Preferences, preferencesOf, takesAutomationMail } from '../../../notifications/preferences.ts'
import { withPlainMentions } from '../../../text/mentions.ts'
import type { Change } from '../automation_run.ts'
import { cutValue } from './changes.ts'
import type { ExecutionContext } from './context.ts'
import { done, failed, type StepOutcome } from './outcome.ts'

type MailConfig = Extract<StepInputs, { type: 'mail.send' }>['config']

/** Active members who have an account and are no guests. */
const reachable = query((db, p: Placeholder<{ organization: string; users: string }>, dialect) =>
  db
    .selectFrom('members')
    .innerJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'members.organization')
        .onRef('account_memberships.user', '=', 'members.user'),
    )
    .select('members.user')
    .where('members.organization', '=', p('organization'))
    .where('members.status', '=', 'active')
    .where('account_memberships.role', '<>', 'guest')
    .where(isOneOf(dialect, 'members.user', p('users'))),
)

/** Plans the mails. In shadow mode, and with test data, they are only journaled. */
export async function sendMail(context: ExecutionContext, { to, subject, text }: MailConfig): Promise<StepOutcome> {
  const { tx, now, state, mails } = context
  const { scene } = state
  const { organization } = scene.organization
  if (!mails) return failed('mail_not_configured', 'This installation sends no mail: ATRIUM_SMTP_URL is not set.')
  const reached = await reachedBy(tx, organization, to)
  if (reached.length === 0) return failed('no_recipient', noRecipient(to))
  const people = reached.filter(({ preferences }) => takesAutomationMail(preferences))
  const letter = { subject: withPlainMentions(subject), text: withPlainMentions(text) }
  const content = JSON.stringify({ ...letter, flow: scene.flow.id, name: scene.flow.name })
  for (const { user, preferences } of !scene.shadow && scene.mode === 'live' ? people : []) {
    const place = { realm: scene.realm, id: newId('mal', now), organization, user }
    planMail(tx, newMail({ ...place, kind: 'letter', content, due_at: afterQuiet(preferences, now) }, now))
  }
  const recipients = people.map(({ user }) => user)
  return done({ output: { recipients }, changes: recipients.map((user) => changeOfMail(user, letter)) })
}

interface Reached {
  readonly user: string
  readonly preferences: Preferences
}

/** The named people who can get mail, each once, with what they have chosen. */
async function reachedBy(reader: Reader, organization: string, to: readonly (string | null)[]): Promise<Reached[]> {
  const named = [...new Set(to.filter((user) => user !== null))]
  const rows = await reader.all(reachable, { organization, users: JSON.stringify(named) })
  const able = new Set(rows.map(({ user }) => user))
  const reached: Reached[] = []
  for (const user of named) {
    if (able.has(user)) reached.push({ user, preferences: await preferencesOf(reader, organization, user) })
  }
  return reached
}

function noRecipient(to: readonly (string | null)[]): string {
  const named = to.filter((user) => user !== null)
  const who = named.length === 0 ? 'No person was named' : `None of ${named.join(', ')} can be reached`
  return `${who}: a mail goes to active members who have an account and are no guests.`
}

/** A mail as the journal and previews show it. */
function changeOfMail(user: string, letter: { readonly subject: string; readonly text: string }): Change {
  const fields = Object.entries(letter).map(([name, to]) => [name, { from: null, to: cutValue(to) }])
  return { type: 'automation.mail.sent', object: 'user', id: user, fields: Object.fromEntries(fields) }
}
