/**
 * Receives mail for flows: a mail starts a run of the flow that the address belongs to (contract/16#received-mail). Invariant: a mail is
 * accepted only after the run, its event and the mail are committed, and a Message-ID starts one run as long as that run is
 * kept.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Services } from '../../../api/services.ts'
import { commitSystemChange } from '../../../api/write/system-change.ts'
import type { FlowMail } from '../../../automations/mails.ts'
import { mailTriggerOf, type Program } from '../../../automations/program.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import type { AutomationAddressRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { programOfFlow } from '../programs.ts'
import { findActiveFlow } from '../queries/flows.ts'
import { findRunOfMail, mailAddresses } from '../shared/mails.ts'
import { factsOf, Surroundings } from '../shared/matches.ts'
import { type StartedFlow, type StartTransaction, startRun } from '../start-run.ts'

/** An address whose flow is active. */
export interface OpenMailbox {
  readonly mailbox: AutomationAddressRow
  readonly flow: StartedFlow
  readonly program: Program
  readonly trigger: NodeOf<'trigger.mail'>
}

/** The mailbox of an address: `closed` while its flow is not active; null for an unknown one, and if the flow takes no mail. */
export async function findOpenMailbox(reader: Reader, secret: string): Promise<OpenMailbox | 'closed' | null> {
  const mailbox = await mailAddresses.find(reader, secret)
  if (mailbox === undefined) return null
  const flow = await reader.first(findActiveFlow, { realm: mailbox.realm, id: mailbox.flow })
  if (flow === undefined) return 'closed'
  const program = await programOfFlow(reader, flow)
  const trigger = mailTriggerOf(program)
  return trigger === undefined ? null : { mailbox, flow, program, trigger }
}

export interface Arrival {
  /** Identifies the mail, however often it arrives. */
  readonly key: string
  readonly mail: FlowMail
}

/** `not_accepted`: a limit of the flow was reached, so its run was skipped. The sender may try again. */
export type Outcome = 'accepted' | 'not_accepted'

/** Starts the run of a mail, once. What the trigger's condition leaves out counts as accepted. */
export async function receiveMail(services: Services, open: OpenMailbox, arrival: Arrival): Promise<Outcome> {
  const { organization, realm, mode } = open.mailbox
  const change = { organization, realms: [{ realm, mode: mode as Mode }], action: 'automation_runs.start' }
  const outcome = await commitSystemChange(services, change, (transaction) => start(transaction, open, arrival))
  services.wakeUps.call('automations')
  return outcome
}

async function start(
  transaction: StartTransaction,
  { flow: seen, program, trigger }: OpenMailbox,
  { key, mail }: Arrival,
): Promise<Outcome> {
  const { tx, now } = transaction
  const { realm, id } = seen
  if ((await findRunOfMail(tx, seen, key)) !== undefined) return 'accepted'
  const flow = await tx.first(findActiveFlow, { realm, id })
  if (flow?.version !== seen.version) {
    const message = 'The flow was changed at this moment. Nothing was acknowledged. Send the mail again.'
    throw refuse('rate_limit_unavailable', { message, retryAfter: 1 })
  }
  const org = await new Surroundings(tx, realm).org(flow.organization)
  const facts = factsOf(flow, org, { event: null, task: null, mail }, now)
  const { allows, failure } = triggerAllows(program, trigger.id, triggerVariables(facts))
  if (!allows && failure === null) return 'accepted'
  const about = { flow, program, trigger: trigger.id, task: null, event: null, causes: [] }
  const run = await startRun(transaction, {
    ...{ ...about, key: `mail:${newId('req', now)}` },
    ...(failure !== null && { failure }),
  })
  if (run === null) throw new Error('A new trigger key was already in use.')
  const isSkipped = run.status === 'skipped'
  // The key of a skipped run stays free, so that the sender's next attempt starts one.
  const mail_key = isSkipped ? `skipped ${run.id}` : key
  tx.insert('automation_mails', { realm, run: run.id, flow: id, created: now, mail_key, mail: JSON.stringify(mail) })
  return isSkipped ? 'not_accepted' : 'accepted'
}
