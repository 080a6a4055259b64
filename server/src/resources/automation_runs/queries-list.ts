/** One page of runs, and the ends of their journals in one query. */

import { automation_limits } from '../../automations/limits.ts'
import { isOneOf } from '../../db/dialect.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../db/query.ts'
import type { AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

type Filters = {
  readonly workspace: string
  readonly automation_flow: string | undefined
  readonly task: string | undefined
}

/** At most `count` matching runs, newest first, with ids below `before`. */
export async function runsBefore(
  reader: Reader,
  realm: number,
  filters: Filters,
  before: string | undefined,
  count: number,
): Promise<AutomationRunRow[]> {
  const columns = ['workspace', 'automation_flow', 'task'] as const
  const given = columns.filter((column) => filters[column] !== undefined)
  const shape = `runs ${given.join()} ${before === undefined ? '' : 'before'} ${count}`
  const runs = shapedQuery<AutomationRunRow, { realm: number; before: string | undefined } & Filters>(
    shape,
    (db, p) => {
      let select = db.selectFrom('automation_runs').selectAll().where('realm', '=', p('realm'))
      for (const column of given) select = select.where(column, '=', p(column) as string)
      if (before !== undefined) select = select.where('id', '<', p('before') as string)
      return select.orderBy('id', 'desc').limit(literal(count))
    },
  )
  return await reader.all(runs, { realm, ...filters, before })
}

const lastSteps = query((db, p: Placeholder<{ realm: number; runs: string }>, dialect) =>
  db
    .selectFrom('automation_steps as step')
    .innerJoin('automation_runs as of_run', (join) =>
      join.onRef('of_run.realm', '=', 'step.realm').onRef('of_run.id', '=', 'step.run'),
    )
    .select([
      'step.realm as realm',
      'step.run as run',
      'step.number as number',
      'step.node as node',
      'step.path as path',
      'step.status as status',
      'step.port as port',
      'step.items as items',
      'step.reason as reason',
      'step.failure as failure',
      'step.changes as changes',
      'step.attempts as attempts',
      'step.started_at as started_at',
      'step.ended_at as ended_at',
      'step.reused as reused',
    ])
    .where('step.realm', '=', p('realm'))
    .where(isOneOf(dialect, 'step.run', p('runs')))
    .whereRef('step.number', '>', (from) =>
      from('of_run.steps', '-', literal(automation_limits.automation_listed_steps_max)),
    )
    .orderBy('step.run')
    .orderBy('step.number'),
)

/** The last journal entries of these runs, by run, in order, without outputs. */
export async function lastStepsOf(
  reader: Reader,
  realm: number,
  runs: readonly AutomationRunRow[],
): Promise<ReadonlyMap<string, AutomationStepRow[]>> {
  const begun = runs.filter(({ steps }) => steps > 0).map(({ id }) => id)
  if (begun.length === 0) return new Map()
  const rows = await reader.all(lastSteps, { realm, runs: JSON.stringify(begun) })
  return Map.groupBy(
    rows.map((row) => ({ ...row, output: null })),
    ({ run }) => run,
  )
}
