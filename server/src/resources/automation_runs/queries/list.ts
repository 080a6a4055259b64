/** One page of runs, and the ends of their journals in one query. */

import { sql } from 'kysely'
import { automation_limits } from '../../../automations/limits.ts'
import { isOneOf, readBy } from '../../../db/dialect.ts'
import { literal, type Placeholder, query, shapedQuery } from '../../../db/query.ts'
import type { AutomationRunRow, AutomationStepRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { smallestId } from '../../../lib/ids.ts'
import { automationRunNoun, isOpenStatus, type RunStatus, run_statuses } from '../automation_run.ts'

interface Filters {
  readonly workspace: string
  readonly automation_flow: string | undefined
  readonly task: string | undefined
  readonly status: readonly RunStatus[] | undefined
  /** Milliseconds; runs created, or ended, before are left out. */
  readonly from: number | undefined
  /** Milliseconds; runs created, or ended, then or later are left out. */
  readonly until: number | undefined
  /** Whether the runs that have ended are read, in the order of their ends, which the times are about. */
  readonly byEnd: boolean
}

/** The last run of a page: `ended_at` in lists by end only. */
export interface Place {
  readonly id: string
  readonly ended_at: number | undefined
}

/**
 * At most `count` matching runs after the place `before`, newest first. Several states are read one by one: each is an index scan that
 * ends after `count` rows, where one statement would read and sort all runs in these states.
 */
export async function runsBefore(
  reader: Reader,
  realm: number,
  { status: wanted, ...filters }: Filters,
  before: Place | undefined,
  count: number,
): Promise<AutomationRunRow[]> {
  const place = { before: before?.id, before_end: before?.ended_at }
  const read = (status: RunStatus | undefined) => scanRuns(reader, { realm, ...filters, status, ...place }, count)
  // The indexes of ends begin with the state. Runs in other states have no end.
  const statuses = filters.byEnd ? (wanted ?? run_statuses).filter((status) => !isOpenStatus(status)) : wanted
  if (statuses === undefined) return await read(undefined)
  const found = await Promise.all([...new Set(statuses)].map(read))
  // A run that changes its state between two scans may be in both.
  const byId = new Map(found.flat().map((run) => [run.id, run]))
  return [...byId.values()].sort(filters.byEnd ? latestEndFirst : newestFirst).slice(0, count)
}

function newestFirst(a: AutomationRunRow, b: AutomationRunRow): number {
  return a.id < b.id ? 1 : -1
}

function latestEndFirst(a: AutomationRunRow, b: AutomationRunRow): number {
  return (b.ended_at ?? 0) - (a.ended_at ?? 0) || newestFirst(a, b)
}

type Scan = Omit<Filters, 'status'> & {
  readonly realm: number
  readonly status: RunStatus | undefined
  readonly before: string | undefined
  readonly before_end: number | undefined
}

async function scanRuns(reader: Reader, scan: Scan, count: number): Promise<AutomationRunRow[]> {
  const columns = ['workspace', 'automation_flow', 'task', 'status'] as const
  const given = columns.filter((column) => scan[column] !== undefined)
  const times = scan.byEnd ? no_bounds : timeBounds(scan)
  const bounds = (scan.byEnd ? bounds_of_ends : bounds_of_scans).filter(
    ({ name }) => ({ ...scan, ...times })[name] !== undefined,
  )
  const { name: index, phase } = indexFor(scan)
  const place = scan.before_end === undefined ? '' : 'after a run'
  const shape = `runs ${given.join()} ${bounds.map(({ name }) => name).join()} ${index} ${scan.byEnd} ${place} ${count}`
  const order = sql.raw(scan.byEnd ? 'ended_at desc, id desc' : 'id desc')
  const runs = shapedQuery<AutomationRunRow, Omit<Scan, 'byEnd'> & TimeBounds>(shape, (_, p, dialect) => {
    const conditions = [
      ...(['realm', ...given] as const).map((column) => sql`${sql.ref(column)} = ${p(column)}`),
      ...bounds.map(({ name, column, relation }) => sql`${sql.ref(column)} ${sql.raw(relation)} ${p(name)}`),
      ...(place === '' ? [] : [sql`(ended_at, id) < (${p('before_end')}, ${p('before')})`]),
      ...(phase === null ? [] : [phase]),
    ]
    const table = readBy(dialect, sql.table('automation_runs'), index)
    const where = sql.join(conditions, sql` and `)
    return sql<AutomationRunRow>`select * from ${table} where ${where} order by ${order} limit ${literal(count)}`
  })
  const { byEnd: _, ...values } = scan
  return await reader.all(runs, { ...values, ...times })
}

const bounds_of_scans = [
  { name: 'before', column: 'id', relation: '<' },
  { name: 'from', column: 'created', relation: '>=' },
  { name: 'from_id', column: 'id', relation: '>=' },
  { name: 'until', column: 'created', relation: '<' },
  { name: 'until_id', column: 'id', relation: '<' },
] as const

const bounds_of_ends = [
  { name: 'from', column: 'ended_at', relation: '>=' },
  { name: 'until', column: 'ended_at', relation: '<' },
] as const

const no_bounds: TimeBounds = { from_id: undefined, until_id: undefined }

type TimeBounds = {
  readonly from_id: string | undefined
  readonly until_id: string | undefined
}

/**
 * The ids between which the runs of these times lie, so that a scan by id reads no others. An id is never older than its run; it is
 * younger while the clock is set back.
 */
function timeBounds({ from, until }: Pick<Filters, 'from' | 'until'>): TimeBounds {
  const idAt = (time: number) => smallestId(automationRunNoun.prefix, time)
  return {
    from_id: from === undefined ? undefined : idAt(from),
    until_id: until === undefined ? undefined : idAt(until + automation_limits.automation_clock_back_ms),
  }
}

const is_open = sql`ended_at is null`
const has_ended = sql`ended_at is not null`

/**
 * The index that reads the fewest runs. The indexes of states hold ended or open runs only, so their condition is part of the
 * query. A task has few runs, and a flow few open ones.
 */
function indexFor({ automation_flow, task, status, byEnd }: Scan) {
  if (task !== undefined) return { name: 'automation_runs_task', phase: byEnd ? has_ended : null }
  const of = automation_flow === undefined ? 'workspace' : 'flow'
  if (byEnd) return { name: `automation_runs_${of}_end`, phase: has_ended }
  if (status === undefined) return { name: `automation_runs_${of}`, phase: null }
  if (!isOpenStatus(status)) return { name: `automation_runs_${of}_ended`, phase: has_ended }
  return { name: of === 'flow' ? 'automation_runs_open' : 'automation_runs_workspace_open', phase: is_open }
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
      'step.correction as correction',
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
    rows.map((row) => ({ ...row, input: null, output: null })),
    ({ run }) => run,
  )
}
