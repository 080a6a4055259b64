/** Continues a run after a finished step. */
import type { NextStep } from '../../../automations/walk.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { endRun, type RunFailure } from '../end-run.ts'
import type { Journal } from './journal.ts'
import { entryName, type RunState } from './run-state.ts'
import type { OutsideInputs } from './step.ts'
import { type StepTransaction, saveRun } from './transaction.ts'

/** An outside call that is recorded and must be made. */
export interface OutsideCall {
  readonly inputs: OutsideInputs
  /** The number of the step's future journal entry. */
  readonly step: number
  /** From 1. */
  readonly attempt: number
  /** Milliseconds. */
  readonly sent_at: number
  readonly idempotencyKey: string
  /** The cost reserved for it. */
  readonly cost_micros: number
}

/** The state after a commit. */
export function movedOn(state: RunState, journal: Journal, run: AutomationRunRow): RunState {
  for (const entry of journal.entries) state.entries.set(entryName(entry.node, entry.path), entry)
  return { ...state, run, walk: journal.walk }
}

/** The result of a transaction: the run ended or waits, or it continues from this row, perhaps with a call. */
export type Made = { readonly over: true } | { readonly run: AutomationRunRow; readonly call: OutsideCall | null }

/** Advances the run's row to the next step, or ends the run. */
export async function goOn(
  work: StepTransaction,
  journal: Journal,
  state: RunState,
  next: Exclude<NextStep, { action: 'skip' }>,
  changes: Partial<AutomationRunRow> = {},
): Promise<Made> {
  const { steps } = journal
  if (next.action === 'finish') {
    const run = { ...state.run, ...changes, steps }
    const failure = next.outcome === 'failed' ? (journal.failure ?? stopped(next.node, journal.message)) : null
    const reason = next.outcome === 'succeeded' ? journal.message : null
    await endRun(work, run, { status: next.outcome, reason, failure })
    return { over: true }
  }
  const running = { status: 'running', current_node: next.node, attempt: 0, wake_at: null, steps, ...changes }
  return { run: saveRun(work, state.run, running), call: null }
}

function stopped(node: string | null, message: string | null): RunFailure {
  return { code: 'stopped', message: message ?? 'The flow stopped the run.', node }
}
