/**
 * Outside calls: each attempt is recorded with its request before it is sent, and again with its result. An attempt
 * without a result may have arrived: it counts, and a step with `at_most_once` then fails with `outcome_unknown`. All
 * attempts of a step send the same bytes under the same Idempotency-Key (contract/16#outside-calls).
 */
import type { AiSettings, Services } from '../../../api/services.ts'
import { costMicros, promptCostMicros } from '../../../automations/ai-costs.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { default_retry, type StepNode } from '../../../automations/schema.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationAttemptRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { millis } from '../../../lib/clock.ts'
import { attemptsOf } from '../queries.ts'
import { reserve, settleUsage } from '../queries-ai-usage.ts'
import { promptBytes } from './ai.ts'
import type { CallResult } from './call-result.ts'
import { Journal } from './journal.ts'
import { goOn, type Made, movedOn, type OutsideCall } from './continue.ts'
import type { RunState } from './run-state.ts'
import {
  failed,
  type OutsideInputs,
  performStep,
  refuseUnauthorised,
  type StepOutcome,
  type StepPlace,
  type StepWork,
} from './step.ts'
import { inRun, inTransactionOf, letGo, type RunServices, type StepTransaction, saveRun } from './transaction.ts'

/** The start of a call: the transaction, and the rights of the step in it. */
export interface Beginning {
  readonly work: StepTransaction
  readonly about: StepWork
  readonly journal: Journal
  readonly state: RunState
  readonly place: StepPlace
  readonly ai: AiSettings
}

/** Records the step's next attempt, or returns the outcome of a step that makes no further attempt. */
export async function beginCall(beginning: Beginning): Promise<Made | Exclude<StepOutcome, { kind: 'call' }>> {
  const { work, about, journal, state, place } = beginning
  const { run, scene } = state
  const step = journal.steps + 1
  const attempts = journal.entries.length > 0 ? [] : await attemptsOf(work.tx, run, step)
  const last = attempts.at(-1)
  // Only the process that holds the run sets `retrying`. Without that status, this process must judge the last attempt,
  // even if a process that had lost the run recorded its end.
  if (last !== undefined && run.status !== 'retrying') {
    await closeAttempt(work.tx, { ...last, ended_at: work.now, outcome: 'unknown' })
    if (attempts.length >= attemptsMax(place)) return unknown(last)
  }
  if (last === undefined) {
    const outcome = await performStep(about, state, place)
    if (outcome.kind !== 'call') return outcome
    if (!scene.shadow) return begin(beginning, outcome.inputs, step, 1)
    journal.add(place.node.id, place.path, { status: 'succeeded', reason: 'shadow', attempts: 0 })
    return await goOn(work, journal, state, journal.skipAhead())
  }
  const refused = refuseUnauthorised(about, state, place.node)
  if (refused !== null) return refused
  const inputs = JSON.parse(attempts[0]?.inputs ?? 'null') as OutsideInputs
  return await begin(beginning, inputs, step, last.attempt + 1)
}

function unknown({ node, attempt }: AutomationAttemptRow) {
  const message = `The request of ${node} (attempt ${attempt}) may have been sent: its process ended before the answer.`
  return failed('outcome_unknown', message)
}

/** The maximum number of attempts; 1 for a step with `at_most_once`. */
function attemptsMax({ node }: StepPlace): number {
  if (isAtMostOnce(node)) return 1
  return policyOf(node).max_attempts
}

function isAtMostOnce(node: StepPlace['node']): boolean {
  return node.type === 'http.request' && node.config.delivery === 'at_most_once'
}

function policyOf(node: StepPlace['node']) {
  return { ...default_retry, ...('retry' in node ? node.retry : undefined) }
}

async function begin(
  { work, journal, state, place, ai }: Beginning,
  inputs: OutsideInputs,
  step: number,
  attempt: number,
): Promise<Made | Exclude<StepOutcome, { kind: 'call' }>> {
  const { run, scene } = state
  const { now } = work
  const isAi = inputs.type === 'ai.step'
  let cost_micros = 0
  if (isAi) {
    const bytes = promptBytes(inputs.config)
    if (bytes > automation_limits.ai_prompt_bytes_max)
      return failed('ai_prompt_too_large', 'The instructions and the input are too long together.')
    cost_micros = promptCostMicros(ai, bytes, inputs.config.max_output_tokens)
    const own = scene.program.graph.settings?.ai_budget_minor_per_day
    const ceilings = { organization: ai.budgetMinorPerDay, flow: own }
    const exceeded = await reserve(work.tx, usagePlace(state), cost_micros, ceilings, now)
    if (exceeded !== null)
      return failed('ai_budget_exceeded', `The step would exceed the daily AI budget of the ${exceeded}.`)
  }
  const idempotencyKey = `${run.id}:${step}`
  const sent = { node: place.node.id, idempotency_key: idempotencyKey, sent_at: now, cost_micros }
  work.tx.insert('automation_attempts', {
    realm: run.realm,
    run: run.id,
    step,
    attempt,
    ...sent,
    ended_at: null,
    outcome: null,
    http_status: null,
    error: null,
    inputs: attempt === 1 ? JSON.stringify(inputs) : null,
  })
  const counted = isAi ? { ai_requests: run.ai_requests + 1 } : { http_requests: run.http_requests + 1 }
  const running = { status: 'running', current_node: place.node.id, attempt, wake_at: null, steps: journal.steps }
  const saved = saveRun(work, run, { ...running, ...counted })
  return { run: saved, call: { inputs, step, attempt, sent_at: now, idempotencyKey, cost_micros } }
}

/**
 * The recorded but unsent call of a claimed run, for a process that did not learn of its own commit; null without such a
 * call.
 */
export async function unsentCall(reader: Reader, { run }: RunState): Promise<OutsideCall | null> {
  const step = run.steps + 1
  const attempts = await attemptsOf(reader, run, step)
  const last = attempts.at(-1)
  if (last === undefined || last.ended_at !== null) return null
  const { attempt, sent_at, idempotency_key: idempotencyKey, cost_micros } = last
  const inputs = JSON.parse(attempts[0]?.inputs ?? 'null') as OutsideInputs
  return { inputs, step, attempt, sent_at, idempotencyKey, cost_micros }
}

function usagePlace({ run }: RunState) {
  return { organization: run.organization, realm: run.realm, flow: run.automation_flow }
}

const endAttempt = query(
  (
    db,
    p: Placeholder<{
      ended_at: number | null
      outcome: string | null
      http_status: number | null
      error: string | null
      cost_micros: number
      realm: number
      run: string
      step: number
      attempt: number
    }>,
  ) =>
    db
      .updateTable('automation_attempts')
      .set({
        ended_at: p('ended_at'),
        outcome: p('outcome'),
        http_status: p('http_status'),
        error: p('error'),
        cost_micros: p('cost_micros'),
      })
      .where('realm', '=', p('realm'))
      .where('run', '=', p('run'))
      .where('step', '=', p('step'))
      .where('attempt', '=', p('attempt'))
      .where('ended_at', 'is', null),
)

type AttemptEnd = Omit<AutomationAttemptRow, 'inputs' | 'node' | 'idempotency_key' | 'sent_at'>

/** Records an attempt's end; returns whether it had none before. */
async function closeAttempt(tx: Tx, attempt: AttemptEnd): Promise<boolean> {
  return (await tx.run(endAttempt, { ...attempt })) > 0
}

/** A held run after its call: it continues, it ended or waits for another attempt, or the lease was lost. */
export type Settled =
  | { readonly next: 'go'; readonly state: RunState }
  | { readonly next: 'over' }
  | { readonly next: 'lost' | 'stale' }

interface Used {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_micros: number
}

/** Records the result of a call. If the run ended meanwhile, only the attempt is updated. */
export async function settleCall(
  services: RunServices & Pick<Services, 'settings'>,
  state: RunState,
  call: OutsideCall,
  result: CallResult,
): Promise<Settled> {
  const used = usedBy(services.settings.ai, call, result)
  const jitter = Math.random()
  const settled = await inRun(services, state.run, async (work) => {
    await closeCall(work, state, call, result, used)
    const journal = new Journal(work, state)
    return { journal, made: await follow(work, journal, state, call, result, used, jitter) }
  })
  if (settled.hold === 'held') {
    const { journal, made } = settled.value
    return 'over' in made ? { next: 'over' } : { next: 'go', state: movedOn(state, journal, made.run) }
  }
  if (settled.hold === 'lost') {
    await inTransactionOf(services, state.run, (work) => closeCall(work, state, call, result, used))
  }
  return { next: settled.hold }
}

/** The cost of a call: the reserved amount if the real one is unknown and the call may have been charged. */
function usedBy(ai: AiSettings, call: OutsideCall, result: CallResult): Used {
  const { input_tokens = 0, output_tokens = 0 } = result.usage ?? {}
  const isReported = result.usage !== undefined && result.usage !== null
  const nothing = !isReported && !result.ok && !result.sent
  const cost_micros = isReported ? costMicros(ai, input_tokens, output_tokens) : nothing ? 0 : call.cost_micros
  return { input_tokens, output_tokens, cost_micros: call.inputs.type === 'ai.step' ? cost_micros : 0 }
}

async function closeCall(
  work: StepTransaction,
  state: RunState,
  call: OutsideCall,
  result: CallResult,
  used: Used,
): Promise<void> {
  const { realm, id: run } = state.run
  const end = {
    realm,
    run,
    step: call.step,
    attempt: call.attempt,
    ended_at: work.now,
    outcome: result.ok ? 'succeeded' : result.code,
    http_status: result.http_status,
    error: result.ok ? null : result.message,
    cost_micros: used.cost_micros,
  }
  const isFirst = await closeAttempt(work.tx, end)
  if (!isFirst || call.inputs.type !== 'ai.step') return
  settleUsage(work.tx, usagePlace(state), { at: call.sent_at, cost_micros: call.cost_micros }, used)
}

async function follow(
  work: StepTransaction,
  journal: Journal,
  state: RunState,
  call: OutsideCall,
  result: CallResult,
  used: Used,
  jitter: number,
): Promise<Made> {
  const { run } = state
  const next = journal.skipAhead()
  if (next.action === 'finish') throw new RangeError('The run has no step with an outside call.')
  const { node, path } = journal.place(state, next)
  const counted = {
    ai_input_tokens: run.ai_input_tokens + used.input_tokens,
    ai_output_tokens: run.ai_output_tokens + used.output_tokens,
    ai_cost_micros: run.ai_cost_micros + used.cost_micros,
  }
  if (!result.ok && mayRetry(node, call, result)) {
    const wake_at = work.now + waitAfter(node, call.attempt, result.wait_ms, jitter)
    const due_at = Math.min(wake_at, run.deadline_at ?? wake_at)
    saveRun(work, run, { status: 'retrying', wake_at, ...counted, ...letGo(due_at) })
    return { over: true }
  }
  const shared = { output: result.output ?? null, attempts: call.attempt, started_at: call.sent_at }
  if (result.ok) journal.add(node.id, path, { ...shared, status: 'succeeded' })
  else {
    const { code, message } = failed(result.code, result.message)
    journal.add(node.id, path, { ...shared, status: 'failed', failure: { code, message, node: node.id } })
  }
  return await goOn(work, journal, state, journal.skipAhead(), counted)
}

function mayRetry(node: StepNode, call: OutsideCall, result: Extract<CallResult, { ok: false }>): boolean {
  if (!result.retryable || call.attempt >= policyOf(node).max_attempts) return false
  return !(isAtMostOnce(node) && result.sent)
}

/** Milliseconds until the next attempt: by the policy, longer if the answer asks for it, at most `max_seconds`. */
function waitAfter(node: StepNode, attempt: number, asked_ms: number, jitter: number): number {
  const { initial_seconds, backoff, max_seconds, jitter: kind } = policyOf(node)
  const wait_ms = millis(Math.min(max_seconds, initial_seconds * backoff ** (attempt - 1)))
  const own = kind === 'full' ? Math.round(wait_ms * jitter) : Math.round(wait_ms)
  return Math.max(own, Math.min(asked_ms, millis(max_seconds)))
}
