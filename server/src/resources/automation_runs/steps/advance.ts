/**
 * Advances a run by one step in one transaction: the check of lease, epoch and revision, the step's effect, its journal
 * entry, its events and audit entry, and the run's new row. Effects therefore happen exactly once, whichever process
 * dies when (contract/16#durability). Skipped steps are journaled with the preceding step, and the run's end with its
 * last step.
 */

import { findById } from '../../../api/declare/noun.ts'
import type { AiSettings, Services as AllServices } from '../../../api/services.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { StoreUnavailable, type Tx } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { endRun } from '../end-run.ts'
import { authorityOf } from '../shared/authority.ts'
import { approvedInShadow, cancelIfAsked, resumeAfterApproval, sleepUntilDecided } from './approval.ts'
import { assumedInShadow, resumeAfterCall, startCalled } from './call-flow.ts'
import type { EmittedEvent } from './changes.ts'
import { type ExecutionContext, type RunContext, runContext, type StepContext, stepAt } from './context.ts'
import { type Advance, continueRun, type Progress, stateAfter } from './continue.ts'
import { actions } from './effects.ts'
import { failed, RefusedAfterWrite, type StepFailed, type StepOutcome } from './outcome.ts'
import { beginCall } from './outside.ts'
import { callsOutside } from './outside-inputs.ts'
import type { RunState } from './run-state.ts'
import { performStep, subjectOf } from './step.ts'
import { auditOf, inHeldRun, type RunServices, releasedUntil, saveRun } from './transaction.ts'

export type StepServices = RunServices & Pick<AllServices, 'log' | 'settings' | 'mailer'>

/**
 * Advances a claimed run by one step. Rejects only with StoreUnavailable; any other error becomes the step's failure.
 */
export async function advance(services: StepServices, state: RunState): Promise<Advance> {
  try {
    return await tryStep(services, state, null)
  } catch (error) {
    return await tryStep(services, state, failureOf(services.log, state.run, error)).catch(async (second) => {
      if (second instanceof StoreUnavailable) throw second
      return await giveUp(services, state.run, second)
    })
  }
}

/** Turns an error into the step's failure; all writes of the step are rolled back. */
function failureOf(log: Log, run: AutomationRunRow, error: unknown): StepFailed {
  if (error instanceof StoreUnavailable) throw error
  if (error instanceof RefusedAfterWrite) return error.failure
  const detail = error instanceof Error ? error.stack : String(error)
  log.error('a step of an automation could not be carried out', { run: run.id, node: run.current_node, error: detail })
  return failed('internal_error', 'The step failed because of an internal error.')
}

/** Ends a run for which not even a failed step can be journaled. */
export async function giveUp(services: StepServices, run: AutomationRunRow, error: unknown): Promise<Advance> {
  const { code, message } = failureOf(services.log, run, error)
  const failure = { code, message, node: run.current_node }
  const end = { status: 'failed', reason: code, failure } as const
  const ended = await inHeldRun(services, run, (transaction) => endRun(transaction, run, end))
  return ended.lease === 'held' ? { next: 'released' } : { next: ended.lease }
}

/** `forced`: how the step failed in an earlier transaction, which was rolled back. */
async function tryStep(services: StepServices, state: RunState, forced: StepFailed | null): Promise<Advance> {
  const tried = await inHeldRun(
    services,
    state.run,
    async (transaction, prefetched: Prefetched) => {
      const context = runContext(transaction, state)
      return { context, progress: await advanceInTransaction(services, context, prefetched, forced) }
    },
    (tx, now) => prefetch(tx, now, state),
  )
  if (tried.lease !== 'held') return { next: tried.lease }
  const { context, progress } = tried.value
  if (progress === null) return { next: 'released' }
  const { run, call } = progress
  const after = stateAfter(context, run)
  return call === null ? { next: 'step', state: after } : { next: 'call', state: after, call }
}

/** The reads that nearly every step needs. */
type Prefetched = Pick<ExecutionContext, 'authority' | 'subject'>

const findTask = findById('tasks')

async function prefetch(tx: Tx, now: number, { scene, run }: RunState): Promise<Prefetched> {
  const { subject: id, realm } = scene
  const asleep = run.status === 'sleeping'
  const [authority, shown, row] = await Promise.all([
    asleep ? null : authorityOf(tx, scene.version, now),
    asleep ? null : subjectOf(tx, scene),
    asleep || id === null ? undefined : tx.first(findTask, { realm, id }),
  ])
  return { authority, subject: { shown, row } }
}

/** Ends the run at its deadline, its last step or its limit of steps; otherwise takes the next step. */
async function advanceInTransaction(
  { settings, mailer }: StepServices,
  context: RunContext,
  prefetched: Prefetched,
  forced: StepFailed | null,
): Promise<Progress> {
  const { now, journal, state } = context
  const { run } = state
  if (run.deadline_at !== null && now >= run.deadline_at) return await timeOut(context)
  const next = journal.skipAhead()
  if (next.action === 'finish') return await continueRun(context)
  if (run.steps >= automation_limits.automation_steps_max) {
    const message = `The run reached the limit of ${automation_limits.automation_steps_max} steps.`
    await endRun(context, run, { status: 'failed', failure: { code: 'too_many_steps', message, node: next.node } })
    return null
  }
  return await takeStep(
    { ...context, ...prefetched, mails: mailer !== null, step: stepAt(state, next) },
    settings.ai,
    forced,
  )
}

async function takeStep(context: StepContext, ai: AiSettings, forced: StepFailed | null): Promise<Progress> {
  const { step, state } = context
  if (forced !== null) return await settle(context, forced)
  if (state.run.status === 'sleeping') return await wake(context)
  if (!callsOutside(step.node)) {
    return await settle(context, await performStep(context, step))
  }
  const begun = await beginCall(context, ai)
  return begun !== null && 'kind' in begun ? await settle(context, begun) : begun
}

async function timeOut(context: RunContext): Promise<Progress> {
  const { run } = context.state
  const message = 'The run exceeded the `run_timeout_seconds` of its flow.'
  await endRun(context, run, { status: 'failed', failure: { code: 'run_timeout', message, node: run.current_node } })
  return null
}

/** Ends a sleep, or continues it if the worker came too early. */
async function wake(context: StepContext): Promise<Progress> {
  const { now, journal, step } = context
  if (step.node.type === 'approval.wait') {
    const resumed = await resumeAfterApproval(context)
    return resumed !== null && 'kind' in resumed ? await settle(context, resumed) : resumed
  }
  if (step.node.type === 'flow.call') return await resumeAfterCall(context)
  const { run } = context.state
  if (run.wake_at !== null && run.wake_at > now) {
    saveRun(context, run, releasedUntil(Math.min(run.wake_at, run.deadline_at ?? run.wake_at)))
    return null
  }
  const output = { woke_at: seconds(now) }
  journal.add(step, { status: 'succeeded', output, started_at: run.updated })
  return await continueRun(context)
}

/** Journals a step's outcome and emits its events. */
async function settle(context: StepContext, outcome: StepOutcome): Promise<Progress> {
  const { journal, step } = context
  const { node } = step
  if (outcome.kind === 'call') throw new TypeError(`${node.id} makes no outside call.`)
  if (outcome.kind === 'wait') return sleep(context, outcome.until)
  if (outcome.kind === 'ask') {
    if (!context.state.scene.shadow) return sleepUntilDecided(context, outcome.approval)
    journal.add(step, approvedInShadow(outcome, context.now))
  } else if (outcome.kind === 'start') {
    if (!context.state.scene.shadow) return await startCalled(context, outcome)
    journal.add(step, assumedInShadow(outcome))
  } else if (outcome.kind === 'failed') {
    await cancelIfAsked(context)
    const failure = { code: outcome.code, message: outcome.message, node: node.id }
    journal.add(step, { status: 'failed', failure, input: outcome.input })
  } else if (outcome.kind === 'stop') {
    journal.add(step, { status: 'succeeded', reason: outcome.message, output: outcome.output })
    journal.message = outcome.message
  } else {
    const { port, items, input, output, changes } = outcome
    const { shadow } = context.state.scene
    if (!shadow) recordEffect(context, outcome.emitted)
    const reason = shadow && changes.length > 0 ? 'shadow' : null
    journal.add(step, { status: 'succeeded', port, items, input, output, changes, reason })
  }
  return await continueRun(context)
}

function sleep(context: StepContext, until: number): Progress {
  const { journal, step } = context
  const { run } = context.state
  const asleep = { status: 'sleeping', current_node: step.node.id, wake_at: until, attempt: 0 }
  const due_at = Math.min(until, run.deadline_at ?? until)
  saveRun(context, run, { ...asleep, steps: journal.steps, ...releasedUntil(due_at) })
  return null
}

/** Emits the events of an effect and audits it. */
function recordEffect(context: StepContext, emitted: readonly EmittedEvent[]): void {
  const { node } = context.step
  if (node.type === 'mail.send') auditMail(context)
  if (emitted.length === 0) return
  for (const { type, after, before } of emitted) context.emit(type, after, before)
  const action = actions[node.type as keyof typeof actions]
  const reason = `Run ${context.state.run.id}, node ${node.id}.`
  // A step for many tasks has an entry for each, as the requests that change many have.
  const isMany = node.type === 'task.create_many' || node.type === 'task.update_many'
  for (const each of isMany ? [...byObject(emitted)] : [emitted]) context.audit(auditOf(action, each, reason))
}

/** The events of each object, in the order of the first. */
function byObject(emitted: readonly EmittedEvent[]): Iterable<readonly EmittedEvent[]> {
  return Map.groupBy(emitted, ({ after }) => (after as { readonly id: string }).id).values()
}

/** Mails have no event: they change no object of the API. */
function auditMail(context: StepContext): void {
  const { run, scene } = context.state
  const target = { object: 'automation_flow', id: run.automation_flow, workspace: scene.flow.workspace }
  const note = { target, reason: `Run ${run.id}, node ${context.step.node.id}.` }
  context.audit({ action: 'automation_flows.mail', note, changed_fields: [] })
}
