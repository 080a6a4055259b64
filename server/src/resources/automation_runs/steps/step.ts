/**
 * Executes one step of a run: resolves its inputs, checks its authority, and applies its effect. Live runs, shadow runs
 * and rehearsals differ only in the transaction they pass: committed, read-only or rolled back. Waits and outside calls
 * are returned to the caller instead of executed. Nothing is emitted or journaled here; the outcome lists the events,
 * and the caller that commits records them (contract/16#actions).
 */
import { Refusal } from '../../../api/declare/errors.ts'
import { limits } from '../../../api/limits.ts'
import { outputFault } from '../../../automations/calls.ts'
import { resolveInputs, type StepInputs } from '../../../automations/resolve.ts'
import type { StepNode } from '../../../automations/schema.ts'
import { type FindEntry, stepVariables } from '../../../automations/variables.ts'
import type { Tx } from '../../../db/store.ts'
import { millis, seconds } from '../../../lib/clock.ts'
import { readSubject, type Subject } from '../queries/subject.ts'
import { correctedInput } from '../reruns/corrected-step.ts'
import { callerOfFlow, scopesOfStep } from '../shared/authority.ts'
import { askForApproval } from './approval.ts'
import { prepareCall } from './call-flow.ts'
import { changesOf, type EmittedEvent } from './changes.ts'
import type { ExecutionContext } from './context.ts'
import { type ActingInputs, carryOut } from './effects.ts'
import { sendMail } from './mail.ts'
import { done, failed, RefusedAfterWrite, type StepFailed, type StepOutcome, StepRefused } from './outcome.ts'
import { ReadOnlyTx } from './read-only-tx.ts'
import { entryName, orgOf, type RunState, type Step } from './run-state.ts'

/** Executes the step without its waits and outside calls. Throws RefusedAfterWrite, and what the store throws. */
export async function performStep(context: ExecutionContext, step: Step): Promise<StepOutcome> {
  const { node, path } = step
  const refused = refuseUnauthorized(context, node)
  if (refused !== null) return refused
  const { state } = context
  const { program } = state.scene
  const facts = await factsOf(context)
  const find: FindEntry = (id, at) => state.entries.get(entryName(id, at))
  const variables = stepVariables(program, { node: node.id, path }, find, facts)
  const resolved = resolveInputs(program, node.id, variables, correctedInput(state.run, { node: node.id, path }))
  if (!resolved.ok) return failed(resolved.failure.code, resolved.failure.message)
  return withInput(await execute(context, step, resolved.inputs), resolved.inputs)
}

/** Decisions have no input beside their output; waits and outside calls keep theirs elsewhere. */
function withInput(outcome: StepOutcome, inputs: StepInputs): StepOutcome {
  if (!('config' in inputs) || (outcome.kind !== 'done' && outcome.kind !== 'failed')) return outcome
  return { ...outcome, input: inputs.config }
}

/** The failure of a step without authority; null if the step may run. */
export function refuseUnauthorized({ authority, state }: ExecutionContext, node: StepNode): StepFailed | null {
  if (authority === null) {
    const { version } = state.scene.flow
    return failed('insufficient_scope', `The authority of version ${version} of the flow has ended. Renew it.`)
  }
  const missing = scopesOfStep(node.type, state.scene.subject !== null).find((scope) => !authority.has(scope))
  if (missing === undefined) return null
  return failed('insufficient_scope', `The step requires the scope ${missing}, which the flow no longer has.`)
}

/** The run's task in its present state; null if the run has none or it was deleted. */
export async function subjectOf(tx: Tx, { subject, realm, program }: RunState['scene']): Promise<Subject | null> {
  return subject === null ? null : await readSubject(tx, realm, subject, program)
}

async function factsOf({ tx, now, subject, state }: ExecutionContext) {
  const { scene, run } = state
  const { event, before, request, form, mail, call, flow } = scene
  return {
    event,
    before,
    request,
    form,
    mail,
    call,
    task: subject === undefined ? await subjectOf(tx, scene) : subject.shown,
    now: seconds(now),
    flow,
    org: orgOf(scene),
    run: {
      id: run.id,
      trigger: run.trigger_node,
      started_at: seconds(run.started_at ?? now),
      depth: run.depth,
    },
  }
}

async function execute(context: ExecutionContext, step: Step, inputs: StepInputs): Promise<StepOutcome> {
  switch (inputs.type) {
    case 'condition':
    case 'switch':
      return done({ port: inputs.port, output: inputs.output })
    case 'for_each':
      return done({ items: inputs.items, output: inputs.output })
    case 'delay':
      return { kind: 'wait', until: context.now + millis(inputs.config.seconds) }
    case 'wait_until':
      return waitUntil(context.now, inputs.config)
    case 'approval.wait':
      return await askForApproval(context, step, inputs.config)
    case 'mail.send':
      return await sendMail(context, inputs.config)
    case 'flow.call':
      return await prepareCall(context, step, inputs.config)
    case 'stop':
      return stop(inputs.config)
    case 'http.request':
    case 'chat.post':
    case 'ai.step':
      return { kind: 'call', inputs }
    default:
      return await act(context, inputs)
  }
}

/** The output of a stop is for the flow that called this one. */
function stop({ outcome, message, output = null }: Stop): StepOutcome {
  const fault = outputFault(output)
  return fault === null
    ? { kind: 'stop', outcome, message: message ?? null, output }
    : failed('output_too_large', `${fault}.`)
}

type Stop = Extract<StepInputs, { type: 'stop' }>['config']

interface WaitUntil {
  readonly at: number
  readonly if_past?: 'continue' | 'fail'
}

function waitUntil(now: number, { at, if_past }: WaitUntil): StepOutcome {
  const until = Math.min(millis(at), millis(limits.moment_seconds_max))
  if (until > now) return { kind: 'wait', until }
  if (if_past === 'fail') return failed('wait_is_past', `The time to wait for, ${at}, is in the past.`)
  return done({ output: { woke_at: seconds(now) } })
}

async function act(context: ExecutionContext, inputs: ActingInputs): Promise<StepOutcome> {
  const { now, authority, subject } = context
  const { scene } = context.state
  const tx = scene.shadow ? new ReadOnlyTx(context.tx) : context.tx
  const emitted: EmittedEvent[] = []
  const flow = {
    realm: scene.realm,
    id: scene.flow.id,
    organization: scene.organization.organization,
    mode_of_data: scene.mode,
  }
  const effect = {
    tx,
    now,
    caller: callerOfFlow(flow, scene.organization, scene.version.credential, authority ?? new Set()),
    workspace: scene.flow.workspace,
    project: scene.flow.project,
    subject: scene.subject,
    row: subject?.row,
    emit: (type: EmittedEvent['type'], after: object, before?: object) => void emitted.push({ type, after, before }),
  }
  const wasDirty = tx.dirty
  try {
    const output = await carryOut(effect, inputs)
    return done({ output, emitted, changes: changesOf(inputs.type, emitted) })
  } catch (error) {
    if (error instanceof StepRefused) return error.failure
    if (!(error instanceof Refusal)) throw error
    const { param } = error.options
    const failure = failed(error.code, param === undefined ? error.message : `${param}: ${error.message}`)
    if (tx.dirty && !wasDirty) throw new RefusedAfterWrite(failure)
    return failure
  }
}
