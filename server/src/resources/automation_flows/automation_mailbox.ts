/** The address of a flow for mail, as those who manage the flow see it (contract/16#received-mail). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { described, Flag, head, Id, Nullable } from '../../api/declare/shapes.ts'
import type { Settings } from '../../api/services.ts'
import type { AutomationAddressRow, AutomationFlowRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import type { Sealer } from '../../lib/seal.ts'
import { mailAddresses, mailboxAddress } from '../automation_runs/shared/mails.ts'

export const AutomationMailbox = Type.Object({
  ...head('automation_mailbox'),
  automation_flow: described(Id, 'Flow that mail to the address starts.'),
  address: described(
    Nullable(Type.String()),
    'Address that takes mail. Anyone who knows it can start runs. Null if this installation receives no mail.',
  ),
  secret: described(Type.String(), 'The secret in the address.'),
  is_open: described(
    Flag,
    'Whether the flow is active; mail to an address that is not open is refused for now, so its sender tries again.',
  ),
})

export type AutomationMailbox = Static<typeof AutomationMailbox>

export function showAutomationMailbox(
  mailbox: AutomationAddressRow,
  flow: Pick<AutomationFlowRow, 'status'>,
  { sealer, domain }: { readonly sealer: Sealer; readonly domain: Settings['replyDomain'] },
): AutomationMailbox {
  const secret = mailAddresses.secretOf(sealer, mailbox)
  return {
    id: mailbox.id,
    object: 'automation_mailbox',
    created: seconds(mailbox.created),
    updated: seconds(mailbox.updated),
    automation_flow: mailbox.flow,
    address: domain === null ? null : mailboxAddress(secret, domain),
    secret,
    is_open: flow.status === 'active',
  }
}

/** The mailbox of a flow; refuses with 404 if it has none. */
export async function requireMailbox(reader: Reader, flow: AutomationFlowRow): Promise<AutomationAddressRow> {
  const mailbox = await mailAddresses.ofFlow(reader, flow)
  if (mailbox !== undefined) return mailbox
  const message = 'The flow has no address for mail yet. It gets one when it is activated with a `trigger.mail`.'
  throw refuse('resource_not_found', { param: 'id', message })
}
