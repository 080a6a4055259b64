/**
 * Ends a run, once, in the transaction that decides its outcome. The oldest waiting run gets its slot, the flow counts
 * consecutive failures and is paused after too many, and the run's event shows the end of its journal
 * (contract/16#failures).
 */
import type { EventType } from '../../api/declare/event.ts'
import type { AuditedAction } from '../../api/write/record.ts'
import { default_settings } from '../../automations/schema.ts'
import { type Placeholder, query, updateQuery } from '../../db/query.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { cancelApprovals } from '../automation_approvals/shared/approvals.ts'
import { pauseFlow } from '../automation_flows/shared/queries.ts'
import { showAutomationRun } from './automation_run.ts'
import { automationRunCanceled, automationRunFailed, automationRunSkipped, automationRunSucceeded } from './events.ts'
import { programOfFlow } from './programs.ts'
import { wakeCaller } from './queries/calls.ts'
import { wakeNext } from './queries/slots.ts'
import { attemptsOf, journalOf } from './queries.ts'

/** The parts of a transaction that ending a run uses. `now` is in milliseconds. */
export interface RunTransaction {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
  /** Adds an audit entry by the automation, besides the entry of the current request. */
  audit?(action: AuditedAction): void
}

export interface RunFailure {
  readonly code: string
  readonly message: string
  /** The node that failed, if one did. */
  readonly node: string | null
}

export interface RunEnd {
  readonly status: 'succeeded' | 'failed' | 'canceled' | 'skipped'
  readonly reason?: string | null
  readonly failure?: RunFailure | null
  readonly canceled_by?: { readonly type: string; readonly id: string }
}

const events = {
  succeeded: automationRunSucceeded,
  failed: automationRunFailed,
  canceled: automationRunCanceled,
  skipped: automationRunSkipped,
} as const satisfies Record<RunEnd['status'], EventType>

/** Whether a run has not ended: queued, running, sleeping or retrying. */
export function isOpen(run: Pick<AutomationRunRow, 'ended_at'>): boolean {
  return run.ended_at === null
}

/**
 * Ends an open run and returns its row. `run` is the committed row with updated usage counters. Its epoch rises and its
 * lease ends, so no process can continue it. Emits `automation.run.<status>`, and `automation.flow.paused` if this was
 * one failure too many.
 */
export async function endRun(
  transaction: RunTransaction,
  run: AutomationRunRow,
  end: RunEnd,
): Promise<AutomationRunRow> {
  const { tx, now, emit } = transaction
  const changes = {
    status: end.status,
    status_reason: end.reason ?? null,
    failure: end.failure ? JSON.stringify(end.failure) : null,
    current_node: end.status === 'succeeded' ? null : (end.failure?.node ?? run.current_node),
    canceled_by_type: end.canceled_by?.type ?? null,
    canceled_by_id: end.canceled_by?.id ?? null,
    ended_at: now,
    steps: run.steps,
    http_requests: run.http_requests,
    ai_requests: run.ai_requests,
    ai_input_tokens: run.ai_input_tokens,
    ai_output_tokens: run.ai_output_tokens,
    ai_cost_micros: run.ai_cost_micros,
    updated: now,
    revision: run.revision + 1,
    wake_at: null,
    due_at: null,
    holds_slot: 0,
    epoch: run.epoch + 1,
    lease_owner: null,
    lease_until: null,
  }
  const ended = { ...run, ...changes }
  if (run.status === 'sleeping') await cancelApprovals(transaction, run)
  tx.write(updateQuery('automation_runs', Object.keys(changes)), { ...changes, realm: run.realm, id: run.id })
  const journal = await journalOf(tx, ended)
  emit(events[end.status], showAutomationRun(ended, journal), showAutomationRun(run, journal))
  await wakeNext(tx, run, now)
  wakeCaller(tx, run, now)
  if (run.mode === 'live' && (end.status === 'failed' || end.status === 'succeeded'))
    await countFailure(transaction, ended)
  return ended
}

export interface Cancellation {
  readonly by: { readonly type: string; readonly id: string }
  /** Becomes `status_reason`; `canceled` by default. */
  readonly reason?: string
}

/**
 * Cancels an open run in any state and returns its row. If an outside call was in progress, `failure` names its step,
 * because the call may have arrived (contract/16#cancellation).
 */
export async function cancelRun(
  transaction: RunTransaction,
  run: AutomationRunRow,
  { by, reason = 'canceled' }: Cancellation,
): Promise<AutomationRunRow> {
  const attempts = run.status === 'running' ? await attemptsOf(transaction.tx, run, run.steps + 1) : []
  const sent = attempts.find((attempt) => attempt.ended_at === null)
  const failure =
    sent === undefined
      ? null
      : {
          code: 'outcome_unknown',
          message: `The request of ${sent.node} (attempt ${sent.attempt}) may have been sent when the run was canceled.`,
          node: sent.node,
        }
  return await endRun(transaction, run, { status: 'canceled', reason, failure, canceled_by: by })
}

const findFailures = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('automation_flows')
    .select(['status', 'version', 'consecutive_failures'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

const setFailures = query((db, p: Placeholder<{ count: number; realm: number; id: string }>) =>
  db
    .updateTable('automation_flows')
    .set({ consecutive_failures: p('count') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** Counts consecutive failures of the active version. Failures of an earlier version do not count. */
async function countFailure(transaction: RunTransaction, run: AutomationRunRow): Promise<void> {
  const { tx, now } = transaction
  const { realm, automation_flow: id } = run
  const flow = await tx.first(findFailures, { realm, id })
  if (flow === undefined || flow.version !== run.flow_version) return
  const failures = run.status === 'failed' ? flow.consecutive_failures + 1 : 0
  if (failures !== flow.consecutive_failures) tx.write(setFailures, { realm, id, count: failures })
  if (failures === 0 || flow.status !== 'active') return
  const { settings } = (await programOfFlow(tx, { realm, id, version: run.flow_version })).graph
  const failures_max = settings?.pause_after_failures ?? default_settings.pause_after_failures
  if (failures < failures_max) return
  const reason = `${failures} runs in a row have failed, the last one (${run.id}) with ${codeOf(run)}.`
  await pauseFlow({ tx, now, emit: transaction.emit }, { realm, id }, { reason, origin: 'system' })
  const target = { object: 'automation_flow', id, workspace: run.workspace }
  transaction.audit?.({ action: 'automation_flows.pause', note: { target, reason }, changed_fields: [] })
}

function codeOf({ failure }: AutomationRunRow): string {
  return failure === null ? 'an unknown failure' : (JSON.parse(failure) as RunFailure).code
}
