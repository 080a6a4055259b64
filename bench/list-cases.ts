/** The lists compared at ten thousand and a million tasks, and the database's plans for them. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { app_role, scopeSettings } from '../server/src/db/postgres/row-security.ts'
import type { MaybePromise, Query, Value, Values } from '../server/src/db/query.ts'
import type { Reader } from '../server/src/db/store.ts'
import type { TaskCriteria } from '../server/src/resources/tasks/list/queries.ts'
import { readTasks } from '../server/src/resources/tasks/list/read.ts'
import { isColumnKey, parseSort } from '../server/src/resources/tasks/list/sort.ts'
import { readFilter } from '../server/src/resources/tasks/shared/filter.ts'
import { rare_due, rare_label, rare_tasks, rare_word } from './list-tasks.ts'
import type { Frame } from './seed-product.ts'
import type { Engine } from './stage.ts'

export interface ListCase {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  /** Why no index serves it; left out if one should. */
  readonly unserved?: string
}

const no_text = 'an ordered index cannot find substrings'

/** Cases called `rare` find 25 tasks at any size, the others a fixed share. */
export function listCases(frame: Frame): ListCase[] {
  const { workspace } = frame
  const rare_user = frame.users[0] as string
  const user = frame.users[7] as string
  const project = frame.projects[3]?.id as string
  const before = String(rare_due + rare_tasks)
  const filter = (name: string, text: string, unserved?: string): ListCase => ({
    name,
    query: { workspace, filter: text },
    ...(unserved === undefined ? {} : { unserved }),
  })
  return [
    { name: 'all', query: {} },
    { name: 'workspace', query: { workspace } },
    { name: 'project', query: { workspace, project } },
    { name: 'status', query: { workspace, status: 'todo' } },
    { name: 'status, rare', query: { workspace, status: 'blocked' } },
    { name: 'status, rare, no workspace', query: { status: 'blocked' } },
    { name: 'assignee', query: { workspace, assignee: user } },
    { name: 'assignee, unassigned', query: { workspace, assignee: 'null' } },
    { name: 'assignee, rare', query: { workspace, assignee: rare_user } },
    { name: 'is_archived, none', query: { workspace, is_archived: 'true' } },
    { name: 'due_before, rare', query: { workspace, due_before: before } },
    { name: 'due_before, nearly all', query: { workspace, due_before: '5000000000' } },
    { name: 'due_before, rare, by due date', query: { workspace, due_before: before, sort: 'due_at' } },
    { name: 'status by due date', query: { workspace, status: 'todo', sort: 'due_at' } },
    filter('filter status, rare', 'status:blocked'),
    filter('filter assignee, rare', `assignee:${rare_user}`),
    filter('filter due, rare', `due_at<${before}`),
    filter('filter priority, rare', 'priority:urgent'),
    filter('filter label', 'labels:backend'),
    filter('filter label, rare', `labels:${rare_label}`),
    filter('filter labels, one of them rare', `labels:backend labels:${rare_label}`),
    filter('filter text', 'task'),
    filter('filter text, rare', rare_word, no_text),
    filter('filter title, rare', `title:${rare_word}`, no_text),
    filter('filter custom field', 'custom_fields.points=3'),
    filter('filter custom field, rare', 'custom_fields.points=13'),
    filter('filter custom text, one', 'custom_fields.ticket="T-7"'),
    { name: 'sort -updated', query: { workspace, sort: '-updated' } },
    { name: 'sort due_at', query: { workspace, sort: 'due_at' } },
    { name: 'sort -priority,due_at', query: { workspace, sort: '-priority,due_at' } },
    { name: 'sort title,-due_at', query: { workspace, sort: 'title,-due_at' } },
    { name: 'sort title', query: { workspace, sort: 'title' } },
    { name: 'sort -priority', query: { workspace, sort: '-priority' } },
    { name: 'sort position', query: { workspace, sort: 'position' } },
    { name: 'status, rare, sort title', query: { workspace, status: 'blocked', sort: 'title' } },
    { name: 'filter label, rare, sort due_at', query: { workspace, filter: `labels:${rare_label}`, sort: 'due_at' } },
  ]
}

/** The distinct plans of a case's statements, with the session settings of the product. */
export async function planOf(engine: Engine, url: string, frame: Frame, { query }: ListCase): Promise<string> {
  const plans = new Set<string>()
  const question = questionOf(query)
  const walk = { ...walkOf(query), position: null, count: 21 }
  const read = (planning: Planning) =>
    readTasks(new PlanReader(engine, planning, plans), frame.caller.realm, question, walk)
  if (engine === 'postgres') await onPostgres(url, frame, read)
  else await onSqlite(url, read)
  return [...plans].join(' | ')
}

/** Runs a statement, or explains it. */
type Planning = (text: string, values: Value[], explains: boolean) => MaybePromise<Record<string, unknown>[]>

/** Reads as the product does and records the plan of each statement. */
class PlanReader implements Reader {
  readonly dialect: Engine
  private readonly planning: Planning
  private readonly plans: Set<string>
  constructor(dialect: Engine, planning: Planning, plans: Set<string>) {
    this.dialect = dialect
    this.planning = planning
    this.plans = plans
  }

  async all<R>(query: Query<R>, values: Values = {}): Promise<R[]> {
    const { sql, bind } = query.statement(this.dialect)
    // Lists bind single values.
    const bound = bind(values) as Value[]
    const plan = await this.planning(sql, bound, true)
    this.plans.add(plan.map((row) => String(row.detail ?? row['QUERY PLAN']).trim()).join('; '))
    return (await this.planning(sql, bound, false)) as R[]
  }

  async first<R>(query: Query<R>, values: Values = {}): Promise<R | undefined> {
    return (await this.all(query, values))[0]
  }
}

async function onSqlite(url: string, read: (planning: Planning) => Promise<unknown>): Promise<void> {
  const database = new DatabaseSync(url.replace(/^file:/, ''), { readOnly: true })
  try {
    await read((text, values, explains) =>
      database.prepare(explains ? `explain query plan ${text}` : text).all(...values),
    )
  } finally {
    database.close()
  }
}

async function onPostgres(url: string, frame: Frame, read: (planning: Planning) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`set role ${app_role}`)
    const { sql, values: scope } = scopeSettings(frame.caller.storeScope, false)
    await client.query(sql, scope)
    await read(async (text, values, explains) => {
      return (await client.query(explains ? `explain (costs off) ${text}` : text, values)).rows
    })
  } finally {
    await client.end()
  }
}

function questionOf(query: ListCase['query']): TaskCriteria {
  const { workspace, project, status, assignee, due_before, is_archived, filter } = query
  const checked = filter === undefined ? undefined : readFilter(filter, 0)
  if (checked !== undefined && !checked.ok) throw new Error(`${filter}: ${checked.message}`)
  return {
    workspace,
    project: project === undefined ? undefined : [project],
    status: status === undefined ? undefined : [status],
    assignee: assignee === undefined ? undefined : [assignee],
    due_before: due_before === undefined ? undefined : Number(due_before),
    is_archived: is_archived === undefined ? undefined : is_archived === 'true',
    filter: checked,
  }
}

function walkOf({ sort }: ListCase['query']) {
  const sorted = sort === undefined ? undefined : parseSort(sort)
  if (sorted !== undefined && !sorted.ok) throw new Error(sorted.message)
  return { keys: sorted?.keys.filter(isColumnKey) ?? [], backwards: false }
}
