/**
 * The entries that one transaction adds to a run's journal. It advances a copy of the run's walk, which replaces the
 * walk after the commit.
 */
import type { JournalEntry } from '../../../automations/variables.ts'
import type { NextStep, Walk } from '../../../automations/walk.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Change } from '../automation_run.ts'
import type { RunFailure, RunTransaction } from '../end-run.ts'
import { stepCorrection } from '../reruns/corrected-step.ts'
import { shownText } from '../shown-values.ts'
import type { RunState, Step } from './run-state.ts'

/** How a step ended. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'skipped'
  readonly port?: string | null
  readonly items?: number | null
  readonly output?: unknown
  /** The settings of the step with computed values. */
  readonly input?: unknown
  readonly reason?: string | null
  readonly failure?: RunFailure | null
  readonly changes?: readonly Change[]
  readonly attempts?: number
  /** Milliseconds; the present by default. */
  readonly started_at?: number
}

export class Journal {
  readonly walk: Walk
  /** The added entries. */
  readonly entries: JournalEntry[] = []
  /** Why the last added step failed; null if it did not. */
  failure: RunFailure | null = null
  /** The message of the last stop. */
  message: string | null = null
  private readonly transaction: Pick<RunTransaction, 'tx' | 'now'>
  private readonly run: AutomationRunRow

  constructor(transaction: Pick<RunTransaction, 'tx' | 'now'>, state: RunState) {
    this.transaction = transaction
    this.run = state.run
    this.walk = state.walk.clone()
  }

  /** The number of entries, including those of earlier transactions. */
  get steps(): number {
    return this.run.steps + this.entries.length
  }

  /** Adds the step at the walk's position. */
  add({ node, path }: Step, ending: Ending): void {
    this.append(node.id, path, ending)
  }

  private append(node: string, path: readonly number[], ending: Ending): void {
    const { status, port = null, items = null, output = null } = ending
    const entry = { node, path, status, port, items, output }
    this.walk.record(entry)
    this.entries.push(entry)
    this.failure = ending.failure ?? null
    this.transaction.tx.insert('automation_steps', {
      realm: this.run.realm,
      run: this.run.id,
      number: this.steps,
      node,
      path: path.join('.'),
      status,
      port,
      items,
      input: shownText(ending.input),
      output: output === null || output === undefined ? null : JSON.stringify(output),
      reason: ending.reason ?? null,
      failure: ending.failure ? JSON.stringify(ending.failure) : null,
      changes: JSON.stringify(ending.changes ?? []),
      attempts: ending.attempts ?? (status === 'skipped' ? 0 : 1),
      started_at: ending.started_at ?? this.transaction.now,
      ended_at: this.transaction.now,
      reused: 0,
      correction: status === 'skipped' ? null : stepCorrection(this.run, { node, path }),
    })
  }

  /** Adds all steps to skip and returns the next action. */
  skipAhead(): Exclude<NextStep, { action: 'skip' }> {
    for (;;) {
      const { action, ...next } = this.walk.next()
      if (action === 'skip') {
        const { node, path } = next as Extract<NextStep, { action: 'skip' }>
        const { failure } = this
        this.append(node, path, { status: 'skipped' })
        this.failure = failure
      } else return { action, ...next } as Exclude<NextStep, { action: 'skip' }>
    }
  }
}
