/** Runs, their journals and their calls to the outside, as they are kept. */
import { query } from '../../db/query.ts'
import type { AutomationAttemptRow, AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { limits } from '../../lib/limits.ts'

interface Place {
  readonly realm: number
  readonly id: string
}

const findById = query<AutomationRunRow>((db, p) =>
  db.selectFrom('automation_runs').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export async function findRun(reader: Reader, { realm, id }: Place): Promise<AutomationRunRow | undefined> {
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
] as const satisfies readonly (keyof AutomationStepRow)[]

const lastSteps = query((db, p) =>
  db
    .selectFrom('automation_steps')
    .select(shown_columns)
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .where('number', '>', p('after'))
    .orderBy('number')
    .limit(limits.automation_run_steps_max),
)

/** The last entries of a run's journal in their order, at most `automation_run_steps_max`, without their outputs. */
export async function journalOf(
  reader: Reader,
  run: Place & Pick<AutomationRunRow, 'steps'>,
): Promise<AutomationStepRow[]> {
  const after = run.steps - limits.automation_run_steps_max
  const rows = await reader.all(lastSteps, { realm: run.realm, run: run.id, after })
  return rows.map((row) => ({ ...row, output: null }))
}

const allSteps = query((db, p) =>
  db
    .selectFrom('automation_steps')
    .select(['number', 'node', 'path', 'status', 'port', 'items', 'output'])
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .orderBy('number'),
)

/** Every entry of a run's journal with what it left behind: what the rest of the run goes by. */
export async function wholeJournal(reader: Reader, { realm, id }: Place) {
  return await reader.all(allSteps, { realm, run: id })
}

const attemptsOfStep = query<AutomationAttemptRow>((db, p) =>
  db
    .selectFrom('automation_attempts')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('run', '=', p('run'))
    .where('step', '=', p('step'))
    .orderBy('attempt'),
)

/** The calls to the outside that a step has made so far, oldest first. */
export async function attemptsOf(reader: Reader, { realm, id }: Place, step: number): Promise<AutomationAttemptRow[]> {
  return await reader.all(attemptsOfStep, { realm, run: id, step })
}
