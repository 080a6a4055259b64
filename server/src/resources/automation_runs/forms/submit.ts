/**
 * Submissions of forms: the answers start a run of the flow that the form belongs to (contract/16#forms). Invariant: a
 * submission is confirmed only after the run, its event and the answers are committed, and a loaded page starts one run.
 */
import type { Mode } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Services } from '../../../api/services.ts'
import { type Author, commitSystemChange } from '../../../api/write/system-change.ts'
import { type FormAnswer, formValues } from '../../../automations/forms.ts'
import { formOf, type Program } from '../../../automations/program.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import type { AutomationAddressRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import { programOfFlow } from '../programs.ts'
import { findActiveFlow } from '../queries/flows.ts'
import { formAddresses, submissions } from '../shared/forms.ts'
import { factsOf, Surroundings } from '../shared/matches.ts'
import { type StartedFlow, type StartTransaction, startRun } from '../start-run.ts'

/** A form whose flow is active. */
export interface OpenForm {
  readonly form: AutomationAddressRow
  readonly flow: StartedFlow
  readonly program: Program
  readonly trigger: NodeOf<'trigger.form'>
}

/** The form of an address: `closed` while its flow is not active; null for an unknown address, and if the flow has no form. */
export async function findPublicForm(reader: Reader, secret: string): Promise<OpenForm | 'closed' | null> {
  const form = await formAddresses.find(reader, secret)
  if (form === undefined) return null
  const flow = await reader.first(findActiveFlow, { realm: form.realm, id: form.flow })
  if (flow === undefined) return 'closed'
  const program = await programOfFlow(reader, flow)
  const trigger = formOf(program)
  return trigger === undefined ? null : { form, flow, program, trigger }
}

export interface Submission {
  /** Identifies the load of the page. */
  readonly key: string
  readonly answers: readonly FormAnswer[]
}

/** Whether the page was accepted before: sending it again then says so, however late. */
export async function wasAccepted(reader: Reader, { flow }: OpenForm, key: string): Promise<boolean> {
  const known = await submissions.findRun(reader, flow, key)
  return known !== undefined && outcomeOf(known.status) === 'accepted'
}

/** `not_accepted`: a limit of the flow was reached, so its run was skipped. */
export type Outcome = 'accepted' | 'not_accepted'

/** Starts the run of a submission, once. What the trigger's condition leaves out counts as accepted. */
export async function submit(
  services: Services,
  open: OpenForm,
  submission: Submission,
  source: Author['source'],
): Promise<Outcome> {
  const { organization, realm, mode } = open.form
  const change = { organization, realms: [{ realm, mode: mode as Mode }], action: 'automation_runs.start', source }
  const outcome = await commitSystemChange(services, change, (transaction) => start(transaction, open, submission))
  services.wakeUps.call('automations')
  return outcome
}

async function start(
  transaction: StartTransaction,
  { flow: seen, program, trigger }: OpenForm,
  { key, answers }: Submission,
): Promise<Outcome> {
  const { tx, now } = transaction
  const { realm, id } = seen
  const known = await submissions.findRun(tx, seen, key)
  if (known !== undefined) return outcomeOf(known.status)
  const flow = await tx.first(findActiveFlow, { realm, id })
  if (flow?.version !== seen.version) {
    const message = 'The flow was changed at this moment. Nothing was acknowledged. Send the form again.'
    throw refuse('rate_limit_unavailable', { message, retryAfter: 1 })
  }
  const org = await new Surroundings(tx, realm).org(flow.organization)
  const facts = factsOf(flow, org, { event: null, task: null, form: formValues(answers) }, now)
  const { allows, failure } = triggerAllows(program, trigger.id, triggerVariables(facts))
  if (!allows && failure === null) return 'accepted'
  const about = { flow, program, trigger: trigger.id, task: null, event: null, causes: [] }
  const run = await startRun(transaction, {
    ...{ ...about, key: `form:${newId('req', now)}` },
    ...(failure !== null && { failure }),
  })
  if (run === null) throw new Error('A new trigger key was already in use.')
  tx.insert('automation_submissions', {
    ...{ realm, run: run.id, flow: id, created: now },
    ...{ submission_key: key, answers: JSON.stringify(answers) },
  })
  return outcomeOf(run.status)
}

function outcomeOf(status: string): Outcome {
  return status === 'skipped' ? 'not_accepted' : 'accepted'
}
