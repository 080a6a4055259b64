/** Reads runs, their journals and their outside calls. */

import { automation_limits } from '../../automations/limits.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AutomationAttemptRow, AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

interface RunKey {
  readonly realm: number
  readonly id: string
}

const findById = query<AutomationRunRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('automation_runs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export async function findRun(reader: Reader, { realm, id }: RunKey): Promise<AutomationRunRow | undefined> {
  return await reader.first(findById, { realm, id })
}

const shown_columns = [
  'realm',
  'run',
  'number',
  'node',
  'path',
  'status',
  'port',
  'items',
  'reason',
  'failure',
  'changes',
  'attempts',
  'started_at',
  'ended_at',
  'reused',
  'correction',
] as const satisfies readonly (keyof AutomationStepRow)[]

const lastSteps = query((db, p: Placeholder<{ realm: number; run: string; after: number }>) =>
  db
    .selectFrom('automation_steps')
    .select(shown_columns)
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .where('number', '>', p('after'))
    .orderBy('number')
    .limit(automation_limits.automation_run_steps_max),
)

/** The last entries of a run's journal in order, at most `automation_run_steps_max`, without inputs and outputs. */
export async function journalOf(
  reader: Reader,
  run: RunKey & Pick<AutomationRunRow, 'steps'>,
): Promise<AutomationStepRow[]> {
  const after = run.steps - automation_limits.automation_run_steps_max
  const rows = await reader.all(lastSteps, { realm: run.realm, run: run.id, after })
  return rows.map((row) => ({ ...row, input: null, output: null }))
}

const stepColumns = [...shown_columns, 'input', 'output'] as const

const latestOfRun = query<AutomationStepRow, { realm: number; run: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_steps')
    .select(stepColumns)
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number', 'desc')
    .limit(p('count')),
)

const latestOfNode = query<AutomationStepRow, { realm: number; run: string; node: string; count: number }>((db, p) =>
  db
    .selectFrom('automation_steps')
    .select(stepColumns)
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .where('node', '=', p('node'))
    .orderBy('number', 'desc')
    .limit(p('count')),
)

/** The latest steps of a run, or of one of its nodes, newest first, with inputs and outputs. A run has few steps, so all may be read. */
export async function latestSteps(
  reader: Reader,
  { realm, id: run }: RunKey,
  node: string | undefined,
  count: number,
): Promise<AutomationStepRow[]> {
  if (node === undefined) return await reader.all(latestOfRun, { realm, run, count })
  return await reader.all(latestOfNode, { realm, run, node, count })
}

const allSteps = query((db, p: Placeholder<{ realm: number; run: string }>) =>
  db
    .selectFrom('automation_steps')
    .select(['number', 'node', 'path', 'status', 'port', 'items', 'output'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

/** All entries of a run's journal with their outputs; the rest of the run depends on them. */
export async function wholeJournal(reader: Reader, { realm, id }: RunKey) {
  return await reader.all(allSteps, { realm, run: id })
}

const attemptsOfStep = query<AutomationAttemptRow, { realm: number; run: string; step: number }>((db, p) =>
  db
    .selectFrom('automation_attempts')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .where('step', '=', p('step'))
    .orderBy('attempt'),
)

const latestAiSteps = query<Pick<AutomationAttemptRow, 'step'>, { realm: number; run: string; count: number }>(
  (db, p) =>
    db
      .selectFrom('automation_attempts')
      .select('step')
      .where('realm', '=', p('realm'))
      .where('run', '=', p('run'))
      .where('attempt', '=', 1)
      // `type` is the first field of inputs.
      .where('inputs', 'like', '{"type":"ai.step"%')
      .orderBy('step', 'desc')
      .limit(p('count')),
)

/** The calls of the latest AI steps of a run, in order; `count` is the most steps. */
export async function aiAttempts(
  reader: Reader,
  run: RunKey,
  count: number,
): Promise<readonly (readonly AutomationAttemptRow[])[]> {
  const steps = await reader.all(latestAiSteps, { realm: run.realm, run: run.id, count })
  return await Promise.all(steps.toReversed().map(({ step }) => attemptsOf(reader, run, step)))
}

/** The outside calls of a step so far, oldest first. */
export async function attemptsOf(reader: Reader, { realm, id }: RunKey, step: number): Promise<AutomationAttemptRow[]> {
  return await reader.all(attemptsOfStep, { realm, run: id, step })
}
