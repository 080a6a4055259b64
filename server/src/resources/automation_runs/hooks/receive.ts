/**
 * Receives incoming webhooks: the request starts a run of the flow that the address belongs to (contract/16#incoming-webhooks).
 * Invariant: a run is acknowledged only after the run, its event and the request are committed, and a key starts one run as
 * long as that run is kept.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import { type Program, webhookOf } from '../../../automations/program.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import type { AutomationAddressRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { programOfFlow } from '../programs.ts'
import { findActiveFlow } from '../queries/flows.ts'
import { openSecret } from '../queries/secrets.ts'
import { type HookRequest, hookAddresses, hookRequests } from '../shared/hooks.ts'
import { factsOf, Surroundings } from '../shared/matches.ts'
import { type StartedFlow, type StartTransaction, startRun } from '../start-run.ts'
import { readContent, type SentContent } from './content.ts'
import { isSigned } from './signature.ts'

/** An address whose flow is active. */
export interface OpenHook {
  readonly hook: AutomationAddressRow
  readonly flow: StartedFlow
  readonly program: Program
  readonly trigger: NodeOf<'trigger.webhook'>
}

/** What the sender gets; the same for every request with the same key. */
export interface Receipt {
  readonly object: 'automation_hook_receipt'
  /** Null if the trigger's condition is not met. */
  readonly automation_run: string | null
  readonly status: 'accepted' | 'skipped'
}

/** The open hook of an address; null for an unknown one, and for one whose flow is not active or has no such trigger. */
export async function findOpenHook(reader: Reader, secret: string): Promise<OpenHook | null> {
  const hook = await hookAddresses.find(reader, secret)
  if (hook === undefined) return null
  const flow = await reader.first(findActiveFlow, { realm: hook.realm, id: hook.flow })
  if (flow === undefined) return null
  const program = await programOfFlow(reader, flow)
  const trigger = webhookOf(program)
  return trigger === undefined ? null : { hook, flow, program, trigger }
}

/** Verifies and reads a request, and starts its run. Refuses with 401 without a valid signature, with 400 for its content. */
export async function receive(
  services: Services,
  open: OpenHook,
  sent: SentContent,
  source: Author['source'],
): Promise<Receipt> {
  await requireSignature(services, open, sent)
  const request = readContent(sent, open.trigger.config)
  const { organization, realm, mode } = open.hook
  const change = { organization, realms: [{ realm, mode: mode as Mode }], action: 'automation_runs.start', source }
  const receipt = await commitSystemChange(services, change, (transaction) => start(transaction, open, request))
  services.wakeUps.call('automations')
  return receipt
}

async function requireSignature(services: Services, { hook, trigger }: OpenHook, sent: SentContent): Promise<void> {
  const { secret: name, signature } = trigger.config
  if (name === undefined) return
  const secret = await openSecret(services, hook.realm, name)
  const signed = { header: sent.header, body: sent.body, now: services.clock.now() }
  if (secret !== null && isSigned(signature ?? 'standard', signed, secret)) return
  const message = 'The signature of the request is missing or wrong, or its timestamp is too far from the time.'
  throw refuse('invalid_api_key', { message })
}

async function start(
  transaction: StartTransaction,
  { flow: seen, program, trigger }: OpenHook,
  request: HookRequest,
): Promise<Receipt> {
  const { tx, now } = transaction
  const { realm, id } = seen
  const known = request.id === null ? undefined : await hookRequests.findRun(tx, seen, request.id)
  if (known !== undefined) return receiptOf(known.run, known.status)
  const flow = await tx.first(findActiveFlow, { realm, id })
  if (flow?.version !== seen.version) {
    const message = 'The flow was changed at this moment. Nothing was acknowledged. Send the request again.'
    throw refuse('rate_limit_unavailable', { message, retryAfter: 1 })
  }
  const org = await new Surroundings(tx, realm).org(flow.organization)
  const facts = factsOf(flow, org, { event: null, task: null, request }, now)
  const { allows, failure } = triggerAllows(program, trigger.id, triggerVariables(facts))
  if (!allows && failure === null) return receiptOf(null, 'skipped')
  const about = { flow, program, trigger: trigger.id, task: null, event: null, causes: [] }
  const key = `hook:${newId('req', now)}`
  const run = await startRun(transaction, { ...about, key, ...(failure !== null && { failure }) })
  if (run === null) throw new Error('A new trigger key was already in use.')
  tx.insert('automation_hook_requests', {
    ...{ realm, run: run.id, flow: id, created: now },
    ...{ request_key: request.id, request: JSON.stringify(request) },
  })
  return receiptOf(run.id, run.status)
}

/** A run that was skipped stays skipped, so the answer to a repeated request is the same. */
function receiptOf(run: string | null, status: string): Receipt {
  return {
    object: 'automation_hook_receipt',
    automation_run: run,
    status: status === 'skipped' ? 'skipped' : 'accepted',
  }
}
