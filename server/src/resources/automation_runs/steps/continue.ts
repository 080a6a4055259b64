/** Continues a run after a finished step. */
import type { AutomationRunRow } from '../../../db/schema.ts'
import { endRun, type RunFailure } from '../end-run.ts'
import type { RunContext } from './context.ts'
import type { OutsideInputs } from './outside-inputs.ts'
import { entryName, type RunState } from './run-state.ts'
import { saveRun } from './transaction.ts'

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

/** The result of a transaction: null if the run ended or waits; otherwise it continues from this row, perhaps with a call. */
export type Progress = { readonly run: AutomationRunRow; readonly call: OutsideCall | null } | null

/** What follows for a run after a transaction. */
export type Advance =
  /** Another step can run at once. */
  | { readonly next: 'step'; readonly state: RunState }
  /** An outside call is recorded and must be made. */
  | { readonly next: 'call'; readonly state: RunState; readonly call: OutsideCall }
  /** The run has ended, or waits until a time that is stored with it. */
  | { readonly next: 'released' }
  /** The lease was lost; `stale`: the run must be read again. */
  | { readonly next: 'lost' | 'stale' }

/** The state after the commit of a transaction that left this row. */
export function stateAfter({ state, journal }: RunContext, run: AutomationRunRow): RunState {
  for (const entry of journal.entries) state.entries.set(entryName(entry.node, entry.path), entry)
  return { ...state, run, walk: journal.walk }
}

/** Advances the run's row to the next step, with these changes, or ends the run. */
export async function continueRun(context: RunContext, changes: Partial<AutomationRunRow> = {}): Promise<Progress> {
  const { state, journal } = context
  const next = journal.skipAhead()
  const { steps } = journal
  if (next.action === 'finish') {
    const run = { ...state.run, ...changes, steps }
    const failure = next.outcome === 'failed' ? (journal.failure ?? stopped(next.node, journal.message)) : null
    const reason = next.outcome === 'succeeded' ? journal.message : null
    await endRun(context, run, { status: next.outcome, reason, failure })
    return null
  }
  const running = { status: 'running', current_node: next.node, attempt: 0, wake_at: null, steps, ...changes }
  return { run: saveRun(context, state.run, running), call: null }
}

function stopped(node: string | null, message: string | null): RunFailure {
  return { code: 'stopped', message: message ?? 'The flow stopped the run.', node }
}
