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
import { reserve, settleUsage } from '../queries/ai-usage.ts'
import { attemptsOf } from '../queries.ts'
import { promptBytes } from './ai.ts'
import type { CallResult } from './call-result.ts'
import { type RunContext, runContext, type StepContext, stepAt } from './context.ts'
import { type Advance, continueRun, type OutsideCall, type Progress, stateAfter } from './continue.ts'
import { failed, type StepFailed, type StepOutcome } from './outcome.ts'
import type { OutsideInputs } from './outside-inputs.ts'
import type { RunState, Step } from './run-state.ts'
import { performStep, refuseUnauthorized } from './step.ts'
import {
  inHeldRun,
  inRunTransaction,
  type RunServices,
  releasedUntil,
  type StepTransaction,
  saveRun,
} from './transaction.ts'

/** Records the step's next attempt, or returns the outcome of a step that makes no further attempt. */
export async function beginCall(
  context: StepContext,
  ai: AiSettings,
): Promise<Progress | Exclude<StepOutcome, { kind: 'call' }>> {
  const { tx, now, journal, state, step } = context
  const number = journal.steps + 1
  const attempts = journal.entries.length > 0 ? [] : await attemptsOf(tx, state.run, number)
  const last = attempts.at(-1)
  // Only the process that holds the run sets `retrying`. Without that status, this process must judge the last attempt,
  // even if a process that had lost the run recorded its end.
  if (last !== undefined && state.run.status !== 'retrying') {
    await closeAttempt(tx, { ...last, ended_at: now, outcome: 'unknown' })
    if (attempts.length >= attemptsMax(step)) return outcomeUnknown(last)
  }
  if (last === undefined) {
    const outcome = await performStep(context, step)
    if (outcome.kind !== 'call') return outcome
    if (!state.scene.shadow) return await recordAttempt(context, ai, outcome.inputs, { step: number, attempt: 1 })
    journal.add(step, { status: 'succeeded', reason: 'shadow', attempts: 0 })
    return await continueRun(context)
  }
  const refused = refuseUnauthorized(context, step.node)
  if (refused !== null) return refused
  const inputs = JSON.parse(attempts[0]?.inputs ?? 'null') as OutsideInputs
  return await recordAttempt(context, ai, inputs, { step: number, attempt: last.attempt + 1 })
}

function outcomeUnknown({ node, attempt }: AutomationAttemptRow): StepFailed {
  const message = `The request of ${node} (attempt ${attempt}) may have been sent: its process ended before the answer.`
  return failed('outcome_unknown', message)
}

/** The maximum number of attempts; 1 for a step with `at_most_once`. */
function attemptsMax({ node }: Step): number {
  if (isAtMostOnce(node)) return 1
  return policyOf(node).max_attempts
}

function isAtMostOnce(node: Step['node']): boolean {
  return (node.type === 'http.request' || node.type === 'chat.post') && node.config.delivery === 'at_most_once'
}

function policyOf(node: Step['node']) {
  return { ...default_retry, ...('retry' in node ? node.retry : undefined) }
}

async function recordAttempt(
  context: StepContext,
  ai: AiSettings,
  inputs: OutsideInputs,
  place: { readonly step: number; readonly attempt: number },
): Promise<Progress | StepFailed> {
  const { tx, now, journal, state } = context
  const { run } = state
  const { id: node } = context.step.node
  const { step, attempt } = place
  const reserved = await reserveCost(context, ai, inputs)
  if (typeof reserved !== 'number') return reserved
  const idempotencyKey = `${run.id}:${step}`
  tx.insert('automation_attempts', {
    realm: run.realm,
    run: run.id,
    step,
    attempt,
    node,
    idempotency_key: idempotencyKey,
    sent_at: now,
    cost_micros: reserved,
    ended_at: null,
    outcome: null,
    http_status: null,
    error: null,
    inputs: attempt === 1 ? JSON.stringify(inputs) : null,
    answer: null,
  })
  const isAi = inputs.type === 'ai.step'
  const counted = isAi ? { ai_requests: run.ai_requests + 1 } : { http_requests: run.http_requests + 1 }
  const running = { status: 'running', current_node: node, attempt, wake_at: null, steps: journal.steps }
  const saved = saveRun(context, run, { ...running, ...counted })
  return { run: saved, call: { inputs, step, attempt, sent_at: now, idempotencyKey, cost_micros: reserved } }
}

/** Reserves the highest possible cost of an AI step and returns it; 0 for another call, a failure over the budget. */
async function reserveCost(context: StepContext, ai: AiSettings, inputs: OutsideInputs): Promise<number | StepFailed> {
  if (inputs.type !== 'ai.step') return 0
  const { tx, now, state } = context
  const bytes = promptBytes(inputs.config)
  if (bytes > automation_limits.ai_prompt_bytes_max)
    return failed('ai_prompt_too_large', 'The instructions and the input are too long together.')
  const cost_micros = promptCostMicros(ai, bytes, inputs.config.max_output_tokens)
  const own = state.scene.program.graph.settings?.ai_budget_minor_per_day
  const ceilings = { organization: ai.budgetMinorPerDay, flow: own }
  const exceeded = await reserve(tx, usageKey(state), cost_micros, ceilings, now)
  if (exceeded === null) return cost_micros
  return failed('ai_budget_exceeded', `The step would exceed the daily AI budget of the ${exceeded}.`)
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

function usageKey({ run }: RunState) {
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
      answer: string | null
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
        answer: p('answer'),
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
export type Settled = Exclude<Advance, { next: 'call' }>

interface Used {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost_micros: number
}

/** A call with its result and what it used. */
interface EndedCall {
  readonly call: OutsideCall
  readonly result: CallResult
  readonly used: Used
}

/** Records the result of a call. If the run ended meanwhile, only the attempt is updated. */
export async function settleCall(
  services: RunServices & Pick<Services, 'settings'>,
  state: RunState,
  call: OutsideCall,
  result: CallResult,
): Promise<Settled> {
  const ended = { call, result, used: usedBy(services.settings.ai, call, result) }
  const jitter = Math.random()
  const settled = await inHeldRun(services, state.run, async (transaction) => {
    await closeCall(transaction, state, ended)
    const context = runContext(transaction, state)
    return { context, progress: await continueAfterCall(context, ended, jitter) }
  })
  if (settled.lease === 'held') {
    const { context, progress } = settled.value
    return progress === null ? { next: 'released' } : { next: 'step', state: stateAfter(context, progress.run) }
  }
  if (settled.lease === 'lost') {
    await inRunTransaction(services, state.run, (transaction) => closeCall(transaction, state, ended))
  }
  return { next: settled.lease }
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
  { tx, now }: StepTransaction,
  state: RunState,
  { call, result, used }: EndedCall,
): Promise<void> {
  const { realm, id: run } = state.run
  const end = {
    realm,
    run,
    step: call.step,
    attempt: call.attempt,
    ended_at: now,
    outcome: result.ok ? 'succeeded' : result.code,
    http_status: result.http_status,
    error: result.ok ? null : result.message,
    cost_micros: used.cost_micros,
    answer: result.said?.slice(0, automation_limits.ai_answer_kept_chars_max) ?? null,
  }
  const isFirst = await closeAttempt(tx, end)
  if (!isFirst || call.inputs.type !== 'ai.step') return
  settleUsage(tx, usageKey(state), { at: call.sent_at, cost_micros: call.cost_micros }, used)
}

/** Journals the result of a call, or waits for the next attempt. */
async function continueAfterCall(
  context: RunContext,
  { call, result, used }: EndedCall,
  jitter: number,
): Promise<Progress> {
  const { journal, state, now } = context
  const { run } = state
  const next = journal.skipAhead()
  if (next.action === 'finish') throw new RangeError('The run has no step with an outside call.')
  const step = stepAt(state, next)
  const counted = {
    ai_input_tokens: run.ai_input_tokens + used.input_tokens,
    ai_output_tokens: run.ai_output_tokens + used.output_tokens,
    ai_cost_micros: run.ai_cost_micros + used.cost_micros,
  }
  if (!result.ok && mayRetry(step.node, call, result)) {
    const wake_at = now + waitAfter(step.node, call.attempt, result.wait_ms, jitter)
    const due_at = Math.min(wake_at, run.deadline_at ?? wake_at)
    saveRun(context, run, { status: 'retrying', wake_at, ...counted, ...releasedUntil(due_at) })
    return null
  }
  // Attempts have the input, too, but a rerun that takes over the entry has none of them.
  const { config: input } = call.inputs
  const shared = { input, output: result.output ?? null, attempts: call.attempt, started_at: call.sent_at }
  if (result.ok) journal.add(step, { ...shared, status: 'succeeded' })
  else {
    const { code, message } = failed(result.code, result.message)
    journal.add(step, { ...shared, status: 'failed', failure: { code, message, node: step.node.id } })
  }
  return await continueRun(context, counted)
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
