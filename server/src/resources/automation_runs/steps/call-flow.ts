/**
 * The flow.call: it starts a run of another flow in the transaction of the step, so a step calls once, whichever process dies when. The run
 * that waits sleeps until the called one ends, which makes it due, or until the time is up. The called run acts with the authority of its own
 * flow, and goes on if the caller ends (contract/16#calls).
 */
import { callValues, declaredInputs, inputFaults } from '../../../automations/calls.ts'
import { callTriggerOf, type Program } from '../../../automations/program.ts'
import type { StepInputs } from '../../../automations/resolve.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { millis } from '../../../lib/clock.ts'
import { parseJson } from '../../../lib/strict-json.ts'
import { taskNoun } from '../../tasks/task.ts'
import type { Change } from '../automation_run.ts'
import { isOpen, type RunFailure } from '../end-run.ts'
import { automationRunQueued } from '../events.ts'
import { programOfFlow } from '../programs.ts'
import { type CallPlace, lastEntryOf, runCalledBy } from '../queries/calls.ts'
import { findActiveFlow } from '../queries/flows.ts'
import { type StartedFlow, startRun } from '../start-run.ts'
import type { ExecutionContext, StepContext } from './context.ts'
import { continueRun, type Progress } from './continue.ts'
import type { Ending } from './journal.ts'
import { type Called, failed, type StepFailed } from './outcome.ts'
import type { RunState, Step } from './run-state.ts'
import { releasedUntil, saveRun } from './transaction.ts'

type CallConfig = Extract<StepInputs, { type: 'flow.call' }>['config']
type CallTrigger = NodeOf<'trigger.call'>

/** Checks the called flow, its task and its inputs. Writes nothing. */
export async function prepareCall(
  context: ExecutionContext,
  step: Step,
  config: CallConfig,
): Promise<Called | StepFailed> {
  const { tx, now, state } = context
  const { scene, run } = state
  const flow = await tx.first(findActiveFlow, { realm: scene.realm, id: config.flow })
  if (flow === undefined || flow.workspace !== scene.flow.workspace) return notCallable(config.flow, 'is not active')
  const program = await programOfFlow(tx, flow)
  const trigger = callTriggerOf(program)
  if (trigger === undefined) return notCallable(config.flow, 'has no trigger.call')
  const declared = declaredInputs(trigger.config.inputs)
  const given = config.inputs ?? {}
  const [fault] = inputFaults(declared, given)
  if (fault !== undefined) return wrongInput(fault)
  const task = await taskOfCall(context, flow, trigger, config.task)
  if (typeof task === 'object' && task !== null) return task
  const { wait = true, timeout_seconds } = config
  const place = placeOf(state, step)
  const inputs = callValues(declared, given)
  return {
    kind: 'start',
    start: {
      ...{ flow, program, trigger: trigger.id, key: `call:${place.run}:${place.node}:${place.path}` },
      ...{ task, event: null, causes: [...(JSON.parse(run.causes) as string[]), scene.flow.id] },
      call: { inputs, by: place },
    },
    waits: wait,
    input: { flow: flow.id, task, inputs },
    expires_at: wait && timeout_seconds !== undefined ? now + millis(timeout_seconds) : null,
  }
}

function placeOf({ run }: Pick<RunState, 'run'>, { node, path }: Step): CallPlace {
  return { run: run.id, node: node.id, path: path.join('.') }
}

function notCallable(flow: string, why: string): StepFailed {
  return failed('flow_not_callable', `The flow ${flow} cannot be called: it ${why}.`)
}

function wrongInput({ key, what }: { readonly key: string | null; readonly what: string }): StepFailed {
  return failed('wrong_type', key === null ? `${what}.` : `config.inputs.${key} ${what}.`)
}

/** The id of the called run's task; null if its trigger takes none. */
async function taskOfCall(
  { tx, state }: ExecutionContext,
  flow: StartedFlow,
  trigger: CallTrigger,
  named: string | undefined,
): Promise<string | null | StepFailed> {
  const { subject, organization, realm } = state.scene
  if (trigger.config.takes_task !== true) {
    return named === undefined
      ? null
      : failed('wrong_type', 'config.task must be left out: the called flow takes no task.')
  }
  const reference = named === undefined || named === '$subject' ? subject : named
  if (reference === null)
    return failed('wrong_type', 'config.task is required: the run has no task, and the called flow takes one.')
  const task = await taskNoun.find(tx, { organization: organization.organization, realm }, reference)
  const isUsable = task !== undefined && task.deleted_at === null && task.workspace === flow.workspace
  if (isUsable && (flow.project === null || task.project === flow.project)) return task.id
  return failed('resource_not_found', `config.task ${reference} names no task that the called flow is about.`)
}

/** Starts the called run, and lets this one wait or go on. A run that may not start fails the step with the reason. */
export async function startCalled(context: StepContext, called: Called): Promise<Progress> {
  const { journal, step, state } = context
  const { scene } = state
  const run = await startRun(context, called.start)
  if (run === null) throw new RangeError(`${state.run.id} has already called from ${step.node.id}.`)
  const target = { object: 'automation_run', id: run.id, workspace: run.workspace }
  const reason = `Run ${state.run.id}, node ${step.node.id}.`
  context.audit({ action: 'automation_runs.start', note: { target, reason }, changed_fields: [] })
  const { input } = called
  if (!isOpen(run)) {
    const failure = { ...refusedCall(run, scene.flow.name), node: step.node.id }
    journal.add(step, { status: 'failed', failure, input, output: calledOutput(run) })
    return await continueRun(context)
  }
  if (!called.waits) {
    journal.add(step, {
      status: 'succeeded',
      port: 'out',
      input,
      output: calledOutput(run),
      changes: [callChange(run)],
    })
    return await continueRun(context)
  }
  const asleep = { status: 'sleeping', current_node: step.node.id, wake_at: called.expires_at, attempt: 0 }
  saveRun(context, state.run, { ...asleep, steps: journal.steps, ...releasedUntil(wakeTime(state.run, called)) })
  return null
}

/** When the engine looks at the run again unless the called run wakes it. A run always has a deadline. */
function wakeTime(run: AutomationRunRow, { expires_at }: { readonly expires_at: number | null }): number {
  return Math.min(expires_at ?? Number.MAX_SAFE_INTEGER, run.deadline_at ?? Number.MAX_SAFE_INTEGER)
}

/** Why a run that was not started is the failure of the step. */
export function refusedCall({ automation_flow, status_reason }: AutomationRunRow, caller: string) {
  const why = status_reason ?? 'skipped'
  const known: Readonly<Record<string, string>> = {
    reentry: `it is among the flows that led to this run, and calling it from "${caller}" would be a cycle`,
    depth_exceeded: 'too many flows have called one another',
    hourly_limit: 'it has reached its `max_runs_per_hour`',
    queue_full: 'too many of its runs are open',
    concurrency: 'another run of it is open, and its `on_conflict` is skip',
  }
  return {
    code: 'call_refused',
    message: `The flow ${automation_flow} was not started (${why}): ${known[why] ?? 'its run was skipped'}.`,
  }
}

/** What the journal says of the called run: the same in a preview. */
export function callChange(run: Pick<AutomationRunRow, 'id' | 'automation_flow' | 'task'>): Change {
  const { id, automation_flow, task } = run
  const fields = { automation_flow: { from: null, to: automation_flow }, task: { from: null, to: task } }
  return { type: automationRunQueued.type, object: 'automation_run', id, fields }
}

/** What later steps see of a called run. */
export function calledOutput(
  { id, status, status_reason: reason, failure }: Pick<AutomationRunRow, 'id' | 'status' | 'status_reason' | 'failure'>,
  output: unknown = null,
): object {
  const message = failure === null ? reason : (JSON.parse(failure) as RunFailure).message
  return { run: id, status, output, message }
}

/** What later steps see after the timeout. */
function timedOutOutput(run: string): object {
  return { run, status: 'timed_out', output: null, message: null }
}

/** Continues a run whose called run has ended or took too long, or puts it to sleep again. */
export async function resumeAfterCall(context: StepContext): Promise<Progress> {
  const { tx, now, journal, state, step } = context
  const { run } = state
  const place = { realm: run.realm, ...placeOf(state, step) }
  const called = await runCalledBy(tx, place)
  const since = { started_at: run.updated }
  if (called === undefined) {
    const failure = {
      code: 'call_lost',
      message: 'The called run was removed before this run continued.',
      node: step.node.id,
    }
    journal.add(step, { status: 'failed', failure, ...since })
    return await continueRun(context)
  }
  const changes = [callChange(called)]
  const { automation_flow: flow, task } = called
  const input = { flow, task, inputs: parseJson(called.inputs ?? '{}') }
  if (!isOpen(called)) {
    journal.add(step, { ...(await endingOf(tx, called, step.node.id)), input, changes, ...since })
    return await continueRun(context)
  }
  if (run.wake_at !== null && now >= run.wake_at) {
    journal.add(step, {
      status: 'succeeded',
      port: 'timed_out',
      output: timedOutOutput(called.id),
      input,
      changes,
      ...since,
    })
    return await continueRun(context)
  }
  saveRun(context, run, releasedUntil(wakeTime(run, { expires_at: run.wake_at })))
  return null
}

/** How the step ends with the run that it has called. */
async function endingOf(reader: Reader, called: AutomationRunRow, node: string): Promise<Ending> {
  const output = calledOutput(called, await returnedBy(reader, called))
  if (called.status === 'succeeded') return { status: 'succeeded', port: 'out', output }
  const { code, message } = failedCall(called)
  return { status: 'failed', output, failure: { code, message, node } }
}

/** The failure of a step whose called run ended without success. */
export function failedCall(called: Pick<AutomationRunRow, 'id' | 'status' | 'status_reason' | 'failure'>): StepFailed {
  const { id, status, status_reason: reason, failure } = called
  const why = failure === null ? (reason ?? status) : (JSON.parse(failure) as RunFailure).message
  return failed('call_failed', `The called run ${id} ${status === 'failed' ? 'failed' : `was ${status}`}: ${why}`)
}

/** What a run returns: the output of the stop at which it ended. */
async function returnedBy(reader: Reader, called: AutomationRunRow): Promise<unknown> {
  const last = await lastEntryOf(reader, called)
  if (last?.output === undefined || last.output === null) return null
  const program = await programOfRun(reader, called)
  return program.steps.get(last.node)?.node.type === 'stop' ? parseJson(last.output) : null
}

async function programOfRun(
  reader: Reader,
  { realm, automation_flow: id, flow_version: version }: AutomationRunRow,
): Promise<Program> {
  return await programOfFlow(reader, { realm, id, version })
}

/** The journal entry in shadow mode, in which no flow is called: the run continues as if the called one had succeeded. */
export function assumedInShadow({ start, input }: Called): Ending {
  const output = { run: '', status: 'succeeded', output: null, message: null }
  const change = callChange({ id: '', automation_flow: start.flow.id, task: start.task })
  return { status: 'succeeded', port: 'out', output, input, changes: [change], reason: 'shadow' }
}
