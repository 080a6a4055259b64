/**
 * Starts a rerun: a new run that repeats one that has ended, from its start or from a step on (contract/16#reruns). Its authority is that
 * of the version, as for every run; the person who asks must have all scopes of that version.
 */
import type { Caller } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import type { Scope } from '../../../api/declare/scopes.ts'
import type { Event } from '../../../api/stream/shape.ts'
import { correctedFields, type StepInput } from '../../../automations/correction.ts'
import { formValues } from '../../../automations/forms.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { newId } from '../../../lib/ids.ts'
import { taskNoun } from '../../tasks/task.ts'
import type { Correction } from '../automation_run.ts'
import { isOpen } from '../end-run.ts'
import { type LoadedVersion, loadVersion } from '../programs.ts'
import { findActiveFlow } from '../queries/flows.ts'
import { factsOf, Surroundings } from '../shared/matches.ts'
import { keepReceived, type Received, receivedOfRun } from '../shared/received.ts'
import { requireFlowScopes } from '../shared/required-scopes.ts'
import { type StartedFlow, type StartTransaction, startRun } from '../start-run.ts'
import { type Corrections, correct, correctedPart, received_parts } from './input.ts'
import { stepsBefore, takeOver } from './journal.ts'
import { correctedStepInput } from './step-input.ts'

export interface Wanted extends Corrections {
  readonly version?: 'same' | 'active'
  readonly from_step?: string
  readonly step_input?: StepInput
  readonly task?: string
}

interface Context extends StartTransaction {
  readonly caller: Caller
}

/** Returns the row of the new run, which may be skipped like any other run. Checks everything before its first write. */
export async function startRerun(context: Context, run: AutomationRunRow, wanted: Wanted): Promise<AutomationRunRow> {
  requireEnded(run)
  const { tx, now } = context
  const { realm, automation_flow: id } = run
  const flow = await tx.first(findActiveFlow, { realm, id })
  if (flow === undefined) throw refuse('resource_conflict', { message: 'The flow is not active. Activate it first.' })
  const loaded = await loadVersion(tx, realm, id, wanted.version === 'active' ? flow.version : run.flow_version)
  // A corrected input decides what the steps do, so no person gets more done by a rerun than by activating the version.
  requireFlowScopes(context.caller, JSON.parse(loaded.row.scopes) as Scope[])
  requireTrigger(run, loaded)
  const repeating = { ...flow, version: loaded.row.version, mode: modeOf(run, loaded) }
  const task = await taskOf(context, flow, run, wanted.task)
  const received = await receive(context, repeating, run, loaded, wanted)
  const steps = await reusedSteps(context, run, loaded, wanted)
  const step_input = await correctedStepInput(context, run, loaded.program, wanted)
  const repeated = await startRun(context, {
    flow: repeating,
    ...{ program: loaded.program, trigger: run.trigger_node, key: `rerun:${newId('req', now)}`, task },
    event: run.event === null ? null : (JSON.parse(run.event) as Event),
    causes: JSON.parse(run.causes) as string[],
    ...(received.call !== null && { call: { inputs: received.call, by: null } }),
    rerun: {
      ...{ of: run.id, from: wanted.from_step ?? null, steps, step_input },
      correction: correctionOf(context.caller, run, { ...wanted, task }, step_input),
    },
  })
  if (repeated === null) throw new Error('A new trigger key was already in use.')
  keepReceived(tx, repeated, received)
  await takeOver(tx, realm, run.id, repeated.id, repeated.steps)
  return repeated
}

/** What is corrected, and who did. A correction of a step that is kept was made by the person who made it first. */
function correctionOf(
  { owner: by }: Caller,
  run: AutomationRunRow,
  wanted: Omit<Wanted, 'task'> & { readonly task: string | null },
  step_input: StepInput | null,
): Correction | null {
  if (step_input !== null) {
    if (wanted.step_input === undefined && run.correction !== null) return JSON.parse(run.correction) as Correction
    return { part: 'step', fields: correctedFields(step_input), by }
  }
  const part = received_parts.find((name) => wanted[name] !== undefined)
  if (part !== undefined) return { part, fields: Object.keys(wanted[part] ?? {}), by }
  return wanted.task === run.task ? null : { part: 'task', fields: ['task'], by }
}

function requireEnded(run: AutomationRunRow): void {
  if (!isOpen(run) && run.status !== 'skipped') return
  const why = isOpen(run) ? 'The run has not ended' : 'The run never started, so it cannot run again'
  throw refuse('resource_conflict', { message: `${why}: it is ${run.status}.` })
}

function requireTrigger({ trigger_node: node, trigger_type: type }: AutomationRunRow, loaded: LoadedVersion): void {
  if (loaded.program.triggers.get(node)?.type === type) return
  const message = `Version ${loaded.row.version} of the flow has no ${type} "${node}", which started the run.`
  throw refuse('resource_conflict', { param: 'version', message })
}

/** A run in shadow mode stays one, and so does a version that was activated in shadow mode. */
function modeOf(run: AutomationRunRow, { row }: LoadedVersion): string {
  return run.mode === 'shadow' ? run.mode : row.mode
}

async function taskOf(
  { tx, caller }: Context,
  flow: StartedFlow,
  run: AutomationRunRow,
  sent: string | undefined,
): Promise<string | null> {
  if (run.trigger_type !== 'trigger.manual') {
    if (sent === undefined) return run.task
    const message = `task cannot be sent for a run of ${run.trigger_type}. It belongs to trigger.manual.`
    throw refuse('invalid_request_body', { param: 'task', message })
  }
  const reference = sent ?? run.task ?? ''
  const task = await taskNoun.find(tx, caller, reference)
  const usable = task !== undefined && task.deleted_at === null && task.workspace === flow.workspace
  if (usable && (flow.project === null || task.project === flow.project)) return task.id
  const message = `task "${reference}" names no task that the flow is about.`
  throw refuse(sent === undefined ? 'resource_conflict' : 'invalid_request_body', { param: 'task', message })
}

/** `flow` has the version and mode of the rerun, which the condition of the trigger may read. */
async function receive(
  { tx, now }: Context,
  flow: StartedFlow,
  run: AutomationRunRow,
  { row, program }: LoadedVersion,
  wanted: Wanted,
): Promise<Received> {
  const part = correctedPart(wanted, run.trigger_type)
  const received = await receivedOfRun(tx, run)
  if (part === null && row.version === run.flow_version) return received
  const trigger = program.triggers.get(run.trigger_node)
  if (trigger === undefined) throw new RangeError(`The program has no trigger ${run.trigger_node}.`)
  const corrected = correct(run, received, wanted, trigger)
  if (part === null) return corrected
  const org = await new Surroundings(tx, run.realm).org(flow.organization)
  const { request, form, mail, call } = corrected
  const seen = {
    ...{ event: null, task: null },
    ...(request !== null && { request }),
    ...(form !== null && { form: formValues(form) }),
    ...(mail !== null && { mail }),
    ...(call !== null && { call }),
  }
  const { allows, failure } = triggerAllows(program, trigger.id, triggerVariables(factsOf(flow, org, seen, now)))
  if (allows && failure === null) return corrected
  const message = failure?.message ?? `The condition of the trigger is not met by this ${part}.`
  throw refuse('invalid_request_body', { param: part, message })
}

async function reusedSteps(
  { tx }: Context,
  run: AutomationRunRow,
  { row, program }: LoadedVersion,
  wanted: Wanted,
): Promise<number> {
  const { from_step } = wanted
  if (from_step === undefined) return 0
  const changed = ([...received_parts, 'task'] as const).find((name) => wanted[name] !== undefined)
  if (changed !== undefined) {
    const message = `${changed} cannot be sent with from_step: the steps before it have worked with what the run received.`
    throw refuse('invalid_request_body', { param: changed, message })
  }
  if (row.version !== run.flow_version) {
    const message = `from_step needs version ${run.flow_version} of the flow, whose steps the run carried out.`
    throw refuse('invalid_request_body', { param: 'version', message })
  }
  return await stepsBefore(tx, run, program, from_step)
}
