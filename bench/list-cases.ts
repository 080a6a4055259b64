/** What lists are asked for at ten thousand and at a million tasks, and the database's plan for it. */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { app_role, scopeSettings } from '../server/src/db/row-security.ts'
import { readFilter } from '../server/src/resources/tasks/queries-filter.ts'
import { pageQuery, type TaskQuestion } from '../server/src/resources/tasks/queries-list.ts'
import { parseSort } from '../server/src/resources/tasks/sort.ts'
import { rare_due, rare_label, rare_tasks, rare_word } from './list-tasks.ts'
import type { Frame } from './seed-product.ts'
import type { Engine } from './stage.ts'

export interface ListCase {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  /** Why no index of today serves it; left out where one should. */
  readonly unserved?: string
}

const no_json = 'the values stand inside a JSON text without an index of their own'
const no_text = 'a substring has no place in an ordered index'

/** `rare` ones find 25 tasks however many there are, the others a fixed share. */
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
    { name: 'assignee, nobody', query: { workspace, assignee: 'null' } },
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
    filter('filter label, rare', `labels:${rare_label}`, no_json),
    filter('filter text', 'task'),
    filter('filter text, rare', rare_word, no_text),
    filter('filter title, rare', `title:${rare_word}`, no_text),
    filter('filter custom field', 'custom_fields.points=3'),
    filter('filter custom field, rare', 'custom_fields.points=13', no_json),
    filter('filter custom text, one', 'custom_fields.ticket="T-7"', no_json),
    { name: 'sort -updated', query: { workspace, sort: '-updated' } },
    { name: 'sort due_at', query: { workspace, sort: 'due_at' } },
    { name: 'sort -priority,due_at', query: { workspace, sort: '-priority,due_at' } },
    { name: 'sort title', query: { workspace, sort: 'title' }, unserved: 'there is no index on titles' },
  ]
}

/** The plan of a case's statement, as the product's sessions get it. */
export async function planOf(engine: Engine, url: string, frame: Frame, { query }: ListCase): Promise<string> {
  const asked = pageQuery(frame.caller.realm, questionOf(query), { ...walkOf(query), position: null, count: 21 })
  const { sql, bind } = asked.query.statement(engine)
  const values = bind(asked.values)
  if (engine === 'postgres') return await postgresPlan(url, frame, sql, values)
  const database = new DatabaseSync(url.replace(/^file:/, ''), { readOnly: true })
  try {
    const rows = database.prepare(`explain query plan ${sql}`).all(...values)
    return rows.map((row) => String(row.detail)).join('; ')
  } finally {
    database.close()
  }
}

async function postgresPlan(url: string, frame: Frame, text: string, values: unknown[]): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`set role ${app_role}`)
    await client.query(scopeSettings(frame.caller.storeScope, false))
    const { rows } = await client.query(`explain (costs off) ${text}`, values)
    return rows.map((row) => String(row['QUERY PLAN']).trim()).join('; ')
  } finally {
    await client.end()
  }
}

function questionOf(query: ListCase['query']): TaskQuestion {
  const { workspace, project, status, assignee, due_before, is_archived, filter } = query
  const checked = filter === undefined ? undefined : readFilter(filter)
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
  return { keys: sorted?.keys ?? [], backwards: false }
}
