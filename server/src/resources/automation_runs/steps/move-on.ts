/** How a run goes on behind a step that is over. */
import type { NextStep } from '../../../automations/walk.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import { endRun, type RunFailure } from '../queries-end.ts'
import type { Journal } from './journal.ts'
import { entryName, type RunState } from './run-state.ts'
import type { OutsideInputs } from './step.ts'
import { type StepTransaction, saveRun } from './transaction.ts'

/** A call that has been written down and is to be made. */
export interface OutsideCall {
  readonly inputs: OutsideInputs
  /** The number of the step's journal entry to be. */
  readonly step: number
  /** Counts from 1. */
  readonly attempt: number
  /** Milliseconds. */
  readonly sent_at: number
  readonly idempotencyKey: string
  /** What was reserved for it. */
  readonly cost_micros: number
}

/** The state behind a commit. */
export function movedOn(state: RunState, journal: Journal, run: AutomationRunRow): RunState {
  for (const entry of journal.entries) state.entries.set(entryName(entry.node, entry.path), entry)
  return { ...state, run, walk: journal.walk }
}

/** What a transaction made of a run: it is over, or it goes on from this row, perhaps with a call. */
export type Made = { readonly over: true } | { readonly run: AutomationRunRow; readonly call: OutsideCall | null }

/** Moves the run's row on to what comes next, or ends the run. */
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
