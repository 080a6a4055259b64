/** Shared by the floors: schema, seed rows, ids, and a cache of credentials. Nothing of the product is used. */
import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'

export const key = 'sk_live_0123456789abcdef0123456789abcdef'
export const organization = 'org_1'
export const workspace = 'wsp_1'

export const columns = [
  ...['id', 'org', 'workspace', 'project', 'col', 'title', 'description', 'status', 'priority', 'assignee'],
  ...['due_at', 'completed_at', 'labels', 'custom_fields', 'created', 'updated', 'revision'],
] as const

export type Value = string | number | null
export type Row = Record<(typeof columns)[number], Value>

export interface Body {
  readonly workspace?: string
  readonly project?: string
  readonly column?: string
  readonly title?: string
  readonly description?: string
  readonly status?: string
  readonly priority?: string
  readonly assignee?: string
  readonly due_at?: number
  readonly labels?: readonly string[]
  readonly custom_fields?: object
}

/** A write; `id` is the task of a PATCH. */
export interface Write {
  readonly org: string
  readonly key: string
  readonly fingerprint: string
  readonly body: Body
  readonly id: string | undefined
}

export interface Written {
  readonly status: number
  readonly body: string
}

export const schema = `
create table tasks(id text primary key, org text not null, workspace text not null, project text, col text,
  title text not null, description text, status text, priority text, assignee text, due_at bigint, completed_at bigint,
  labels text, custom_fields text, created bigint not null, updated bigint not null, revision bigint not null);
create index tasks_list on tasks(org, workspace, id);
create table events(id text primary key, org text not null, type text not null, created bigint not null, payload text not null);
create table audit(id text primary key, org text not null, actor text, action text, target text, created bigint not null);
create table idem(org text not null, k text not null, fp text not null, status int not null, body text not null,
  created bigint not null, primary key(org, k));
create table keys(hash text primary key, org text not null, scopes text not null);`

const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
let last = 0
let counter = 0

/** 26 characters in time order. */
export function newId(prefix: string): string {
  const now = Date.now()
  if (now === last) counter++
  else {
    last = now
    counter = 0
  }
  let time = ''
  for (let i = 0, rest = now; i < 10; i++, rest = Math.floor(rest / 32)) time = digits[rest % 32] + time
  let count = ''
  for (let i = 0, rest = counter; i < 6; i++, rest >>= 5) count = digits[rest & 31] + count
  let random = ''
  for (let i = 0; i < 10; i++) random += digits[(Math.random() * 32) | 0]
  return `${prefix}_${time}${count}${random}`
}

export function seedId(i: number): string {
  return `tsk_01J${String(i).padStart(23, '0')}`
}

export function seedRow(i: number): Row {
  return {
    id: seedId(i),
    org: organization,
    workspace,
    project: `prj_${i % 50}`,
    col: `col_${i % 5}`,
    title: `Task number ${i}`,
    description:
      'A description of ordinary length, as people write them in trackers: two sentences. This is the second one.',
    status: ['todo', 'doing', 'done'][i % 3] as string,
    priority: ['low', 'normal', 'high'][i % 3] as string,
    assignee: i % 4 ? `usr_${i % 200}` : null,
    due_at: 1790000000 + i,
    completed_at: null,
    labels: '["backend","urgent"]',
    custom_fields: '{"points":3}',
    created: 1780000000 + i,
    updated: 1780000000 + i,
    revision: 1,
  }
}

export function openSqlite(file: string, synchronous: 'FULL' | 'OFF'): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(
    `pragma journal_mode=wal; pragma synchronous=${synchronous}; pragma cache_size=-65536; pragma busy_timeout=5000; pragma wal_autocheckpoint=1000`,
  )
  return database
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

export interface Credential {
  readonly org: string
}

const credentials = new Map<string, Credential | null>()

/** The credential of a request, cached after one query. */
export function known(authorization: string | undefined): {
  digest: string
  credential: Credential | null | undefined
} {
  const digest = authorization === undefined ? '' : sha256(authorization.slice(7))
  return { digest, credential: credentials.get(digest) }
}

export function remember(digest: string, credential: Credential | undefined): Credential | null {
  credentials.set(digest, credential ?? null)
  return credential ?? null
}

/** The public object of a row. */
export function show(row: Row): object {
  return {
    id: row.id,
    object: 'task',
    created: row.created,
    updated: row.updated,
    workspace: row.workspace,
    project: row.project,
    column: row.col,
    title: row.title,
    description: row.description,
    status: row.status,
    priority: row.priority,
    assignee: row.assignee,
    due_at: row.due_at,
    completed_at: row.completed_at,
    labels: JSON.parse(row.labels as string),
    custom_fields: JSON.parse(row.custom_fields as string),
    revision: row.revision,
  }
}

export function newRow(body: Body, now: number): Row {
  return {
    id: newId('tsk'),
    org: organization,
    workspace: body.workspace ?? null,
    project: body.project ?? null,
    col: body.column ?? null,
    title: body.title ?? null,
    description: body.description ?? '',
    status: body.status ?? 'todo',
    priority: body.priority ?? 'normal',
    assignee: body.assignee ?? null,
    due_at: body.due_at ?? null,
    completed_at: null,
    labels: JSON.stringify(body.labels ?? []),
    custom_fields: JSON.stringify(body.custom_fields ?? {}),
    created: now,
    updated: now,
    revision: 1,
  }
}

export function listBody(rows: readonly Row[]): string {
  return JSON.stringify({
    object: 'list',
    url: '/v1/tasks',
    has_more: rows.length === 20,
    next_cursor: rows.at(-1)?.id ?? null,
    data: rows.map(show),
  })
}

export function listTag(body: string): string {
  return `"${hash('sha1', body, 'base64')}"`
}
