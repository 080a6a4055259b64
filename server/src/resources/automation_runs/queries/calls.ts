/** Runs that a step of another run has called, and the run that waits for them (contract/16#calls). */
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationRunRow } from '../../../db/schema.ts'
import type { Reader, Tx } from '../../../db/store.ts'

/** A step of a run. */
export interface CallPlace {
  readonly run: string
  readonly node: string
  /** The numbers of the items, as in the journal. */
  readonly path: string
}

const calledByStep = query<AutomationRunRow, { realm: number; run: string; node: string; path: string }>((db, p) =>
  db
    .selectFrom('automation_runs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('called_by', '=', p('run'))
    .where('called_by_node', '=', p('node'))
    .where('called_by_path', '=', p('path')),
)

/** The run that a step has called. */
export async function runCalledBy(
  reader: Reader,
  place: CallPlace & { readonly realm: number },
): Promise<AutomationRunRow | undefined> {
  return await reader.first(calledByStep, place)
}

const setDue = query((db, p: Placeholder<{ realm: number; id: string | null; now: number }>) =>
  db
    .updateTable('automation_runs')
    .set({ due_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('status', '=', 'sleeping'),
)

/**
 * Makes the run due that waits for a run which ends. If it sleeps for another reason, or for another run, it looks at the time and sleeps
 * on. A worker that holds it at this moment reads the ended run in its own transaction.
 */
export function wakeCaller(tx: Tx, { realm, called_by: id }: AutomationRunRow, now: number): void {
  if (id !== null) tx.write(setDue, { realm, id, now })
}

const lastOutput = query<{ node: string; output: string | null }, { realm: number; run: string; number: number }>(
  (db, p) =>
    db
      .selectFrom('automation_steps')
      .select(['node', 'output'])
      .where('realm', '=', p('realm'))
      .where('run', '=', p('run'))
      .where('number', '=', p('number')),
)

/** The last entry of the journal of a run that has ended: its node, and its output as JSON. */
export async function lastEntryOf(
  reader: Reader,
  { realm, id: run, steps: number }: Pick<AutomationRunRow, 'realm' | 'id' | 'steps'>,
): Promise<{ readonly node: string; readonly output: string | null } | undefined> {
  return await reader.first(lastOutput, { realm, run, number })
}
