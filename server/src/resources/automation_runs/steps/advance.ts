/**
 * Advances a run by one step in one transaction: the check of lease, epoch and revision, the step's effect, its journal
 * entry, its events and audit entry, and the run's new row. Effects therefore happen exactly once, whichever process
 * dies when (contract/16#durability). Skipped steps are journaled with the preceding step, and the run's end with its
 * last step.
 */

import { findById } from '../../../api/declare/noun.ts'
import type { Services as AllServices } from '../../../api/services.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { StoreUnavailable, type Tx } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { authorityOf } from '../authority.ts'
import { endRun } from '../end-run.ts'
import { actions } from './effects.ts'
import { Journal } from './journal.ts'
import { goOn, type Made, movedOn, type OutsideCall } from './continue.ts'
import { beginCall } from './outside.ts'
import type { RunState } from './run-state.ts'
import {
  failed,
  HalfDone,
  performStep,
  type StepFailed,
  type StepOutcome,
  type StepPlace,
  type StepWork,
  subjectOf,
} from './step.ts'
import { StillTx } from './read-only-tx.ts'
import { auditOf, inRun, letGo, type RunServices, type StepTransaction, saveRun } from './transaction.ts'

export type Advance =
  /** Another step can run at once. */
  | { readonly next: 'go'; readonly state: RunState }
  /** An outside call is recorded and must be made. */
  | { readonly next: 'call'; readonly state: RunState; readonly call: OutsideCall }
  /** The run has ended, or waits until a time that is stored with it. */
  | { readonly next: 'over' }
  /** The lease was lost; `stale`: the run must be read again. */
  | { readonly next: 'lost' | 'stale' }

export type StepServices = RunServices & Pick<AllServices, 'log' | 'settings'>

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
export function failureOf(log: Log, run: AutomationRunRow, error: unknown): StepFailed {
  if (error instanceof StoreUnavailable) throw error
  if (error instanceof HalfDone) return error.failure
  const detail = error instanceof Error ? error.stack : String(error)
  log.error('a step of an automation could not be carried out', { run: run.id, node: run.current_node, error: detail })
  return failed('internal_error', 'The step failed because of an internal error.')
}

/** Ends a run for which not even a failed step can be journaled. */
export async function giveUp(services: StepServices, run: AutomationRunRow, error: unknown): Promise<Advance> {
  const { code, message } = failureOf(services.log, run, error)
  const failure = { code, message, node: run.current_node }
  const ended = await inRun(services, run, (work) => endRun(work, run, { status: 'failed', reason: code, failure }))
  return ended.hold === 'held' ? { next: 'over' } : { next: ended.hold }
}

async function tryStep(services: StepServices, state: RunState, forced: StepFailed | null): Promise<Advance> {
  const carryOut = async (work: StepTransaction, prefetched: Prefetched) => {
    const journal = new Journal(work, state)
    return { journal, made: await oneStep(services, work, journal, state, prefetched, forced) }
  }
  const tried = await inRun(services, state.run, carryOut, (tx, now) => prefetch(tx, now, state))
  if (tried.hold !== 'held') return { next: tried.hold }
  const { journal, made } = tried.value
  if ('over' in made) return { next: 'over' }
  const next = movedOn(state, journal, made.run)
  return made.call === null ? { next: 'go', state: next } : { next: 'call', state: next, call: made.call }
}

/** The reads that nearly every step needs. */
type Prefetched = Pick<StepWork, 'authority'> & Required<Pick<StepWork, 'subject'>>

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

async function oneStep(
  { settings }: StepServices,
  work: StepTransaction,
  journal: Journal,
  state: RunState,
  prefetched: Prefetched,
  forced: StepFailed | null,
): Promise<Made> {
  const { run, scene } = state
  const { now } = work
  if (run.deadline_at !== null && now >= run.deadline_at) return await timeOut(work, run)
  const next = journal.skipAhead()
  if (next.action === 'finish') return await goOn(work, journal, state, next)
  if (run.steps >= automation_limits.automation_steps_max) {
    const message = `The run reached the limit of ${automation_limits.automation_steps_max} steps.`
    await endRun(work, run, { status: 'failed', failure: { code: 'too_many_steps', message, node: next.node } })
    return { over: true }
  }
  const place = journal.place(state, next)
  if (forced !== null) return await settle(work, journal, state, place, forced)
  if (run.status === 'sleeping') return await wake(work, journal, state, place)
  const about = { tx: scene.shadow ? new StillTx(work.tx) : work.tx, now, ...prefetched }
  if (place.node.type === 'http.request' || place.node.type === 'ai.step') {
    const begun = await beginCall({ work, about, journal, state, place, ai: settings.ai })
    return 'kind' in begun ? await settle(work, journal, state, place, begun) : begun
  }
  return await settle(work, journal, state, place, await performStep(about, state, place))
}

async function timeOut(work: StepTransaction, run: AutomationRunRow): Promise<Made> {
  const message = 'The run exceeded the `run_timeout_seconds` of its flow.'
  await endRun(work, run, { status: 'failed', failure: { code: 'run_timeout', message, node: run.current_node } })
  return { over: true }
}

/** Ends a sleep, or continues it if the worker came too early. */
async function wake(work: StepTransaction, journal: Journal, state: RunState, place: StepPlace): Promise<Made> {
  const { run } = state
  if (run.wake_at !== null && run.wake_at > work.now) {
    saveRun(work, run, letGo(Math.min(run.wake_at, run.deadline_at ?? run.wake_at)))
    return { over: true }
  }
  const output = { woke_at: seconds(work.now) }
  journal.add(place.node.id, place.path, { status: 'succeeded', output, started_at: run.updated })
  return await goOn(work, journal, state, journal.skipAhead())
}

/** Journals a step's outcome and emits its events. */
async function settle(
  work: StepTransaction,
  journal: Journal,
  state: RunState,
  { node, path }: StepPlace,
  outcome: StepOutcome,
): Promise<Made> {
  const { run, scene } = state
  if (outcome.kind === 'call') throw new TypeError(`${node.id} makes no outside call.`)
  if (outcome.kind === 'wait') {
    const due_at = Math.min(outcome.until, run.deadline_at ?? outcome.until)
    const asleep = { status: 'sleeping', current_node: node.id, wake_at: outcome.until, attempt: 0 }
    saveRun(work, run, { ...asleep, steps: journal.steps, ...letGo(due_at) })
    return { over: true }
  }
  if (outcome.kind === 'failed') {
    const failure = { code: outcome.code, message: outcome.message, node: node.id }
    journal.add(node.id, path, { status: 'failed', failure })
  } else if (outcome.kind === 'stop') {
    journal.add(node.id, path, { status: 'succeeded', reason: outcome.message })
    journal.message = outcome.message
  } else {
    const { port, items, output, emitted, changes } = outcome
    if (!scene.shadow && emitted.length > 0) {
      for (const { type, after, before } of emitted) work.emit(type, after, before)
      const action = actions[node.type as keyof typeof actions]
      work.audit(auditOf(action, emitted, `Run ${run.id}, node ${node.id}.`))
    }
    const reason = scene.shadow && changes.length > 0 ? 'shadow' : null
    journal.add(node.id, path, { status: 'succeeded', port, items, output, changes, reason })
  }
  return await goOn(work, journal, state, journal.skipAhead())
}
