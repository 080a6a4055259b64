/** The context of a step: one object that is passed to everything that happens in its transaction. */
import type { Scope } from '../../../api/declare/scopes.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import type { Subject } from '../queries/subject.ts'
import { Journal } from './journal.ts'
import type { RunState, Step } from './run-state.ts'
import type { StepTransaction } from './transaction.ts'

/** What executing a step needs. A rehearsal has no more than this. */
export interface ExecutionContext {
  readonly tx: Tx
  /** Milliseconds. */
  readonly now: number
  readonly state: RunState
  /** The run's present scopes; null if it has lost its authority. */
  readonly authority: ReadonlySet<Scope> | null
  /** Whether the installation sends mail. */
  readonly mails: boolean
  /** The run's task if this transaction has already read it: as expressions see it, and its row for effects. */
  readonly subject?: { readonly shown: Subject | null; readonly row: TaskRow | undefined }
}

/** A transaction that advances a run: it emits, audits, and adds to the journal. */
export interface RunContext extends StepTransaction {
  /** The run before this transaction. */
  readonly state: RunState
  readonly journal: Journal
}

/** The run's next step in the transaction that commits it. */
export interface StepContext extends RunContext, ExecutionContext {
  readonly step: Step
}

/** The context of a transaction that begins. */
export function runContext(transaction: StepTransaction, state: RunState): RunContext {
  return { ...transaction, state, journal: new Journal(transaction, state) }
}

/** The step at the position of a walk. Throws RangeError if the program has no such node. */
export function stepAt({ scene }: RunState, next: { readonly node: string; readonly path: readonly number[] }): Step {
  const step = scene.program.steps.get(next.node)
  if (step === undefined) throw new RangeError(`The program has no step ${next.node}.`)
  return { node: step.node, path: next.path }
}
