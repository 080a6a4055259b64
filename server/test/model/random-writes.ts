/**
 * Random writes over all operations. Each step is four numbers, which select an operation and its arguments from the objects that
 * exist so far; the same numbers give the same request, so a run repeats from its seed. Many requests are refused, as in
 * production: the point is that no state arises that the event log does not contain.
 */
import type { Reply } from '../call.ts'
import type { World } from '../world.ts'

/** The ids of each object type. They stay after deletion, so later steps also try deleted objects. */
export class Pool {
  private readonly ids = new Map<string, string[]>()
  /** By comment or dependency: the path of its task. */
  readonly parents = new Map<string, string>()
  /** The URL that verifies webhook endpoints. */
  receiver = 'http://127.0.0.1:9'

  add(object: string, id: string): void {
    const known = this.ids.get(object) ?? []
    if (!known.includes(id)) known.push(id)
    this.ids.set(object, known)
  }

  /** One of the twelve newest, or an unknown id if the pool is empty. */
  pick(object: string, n: number): string {
    const known = this.ids.get(object) ?? []
    return known[known.length - 1 - (n % Math.max(1, Math.min(known.length, 12)))] ?? `${object}_none`
  }
}

interface Request {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

export type Numbers = readonly [operation: number, a: number, b: number, c: number]
type MakeRequest = (pool: Pool, a: number, b: number, c: number) => Request

const statuses = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'canceled']
const priorities = ['none', 'low', 'medium', 'high', 'urgent']
const one = <T>(values: readonly T[], n: number): T => values[n % values.length] as T
const maybe = <T>(n: number, value: T): T | undefined => (n % 3 === 0 ? undefined : value)
const orNull = <T>(n: number, value: T): T | null => (n % 4 === 0 ? null : value)
const post = (path: string, body?: object): Request => ({
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
})
const patch = (path: string, body: object): Request => ({ method: 'PATCH', path, body })
const remove = (path: string): Request => ({ method: 'DELETE', path })

const workspace = (pool: Pool, n: number) => pool.pick('workspace', n % 2)

const taskFields = (pool: Pool, a: number, b: number, c: number) => ({
  title: `Task ${a} ${b}`,
  description: maybe(a, one(['', 'Short.', 'ÄÖÜ ☃ "quoted"'], b)),
  project: maybe(b, orNull(a, pool.pick('project', b))),
  column: maybe(c + 1, orNull(b, pool.pick('column', c))),
  status: maybe(c, one(statuses, a + c)),
  priority: maybe(a + 1, one(priorities, b)),
  due_at: maybe(b + 1, orNull(c, 1790000000 + (a % 1000))),
  labels: maybe(c + 2, ['x', 'y', 'z'].slice(0, a % 4)),
  custom_fields: maybe(a + b, { points: a % 9, team: one(['red', null, 'blue'], b) }),
})

const requests: readonly MakeRequest[] = [
  (_pool, a) => post('/v1/workspaces', { title: `Space ${a % 50}` }),
  (pool, a, b) => patch(`/v1/workspaces/${workspace(pool, a)}`, { title: `Space ${b % 5}` }),
  (pool, a, b) => post('/v1/portfolios', { workspace: workspace(pool, a), name: `Portfolio ${b}` }),
  (pool, a, b, c) =>
    patch(`/v1/portfolios/${pool.pick('portfolio', a)}`, {
      name: maybe(b, `P ${c}`),
      archived_at: maybe(c, orNull(b, 1)),
    }),
  (pool, a) => remove(`/v1/portfolios/${pool.pick('portfolio', a)}`),
  (pool, a, b, c) =>
    post('/v1/projects', {
      workspace: workspace(pool, a),
      name: `Project ${b}`,
      portfolio: maybe(c, pool.pick('portfolio', b)),
    }),
  (pool, a, b, c) =>
    post('/v1/projects', { workspace: workspace(pool, b), name: `Project ${c}`, description: maybe(a, 'Words.') }),
  (pool, a, b, c) =>
    patch(`/v1/projects/${pool.pick('project', a)}`, {
      name: maybe(b, `Name ${c % 3}`),
      portfolio: maybe(c, orNull(a, pool.pick('portfolio', b))),
      archived_at: maybe(b + c, null),
    }),
  (pool, a) => post(`/v1/projects/${pool.pick('project', a)}/archive`),
  (pool, a) => patch(`/v1/projects/${pool.pick('project', a)}`, { archived_at: null }),
  (pool, a) => patch(`/v1/projects/${pool.pick('project', a)}`, { archived_at: null }),
  (pool, a, b) =>
    b % 3 === 0 ? remove(`/v1/projects/${pool.pick('project', a)}`) : post('/v1/workspaces', { title: 'Q' }),
  (pool, a) => post(`/v1/projects/${pool.pick('project', a)}/duplicate`),
  (pool, a, b, c) =>
    post('/v1/columns', { workspace: workspace(pool, a), project: pool.pick('project', b), name: `Column ${c}` }),
  (pool, a, b, c) =>
    post('/v1/columns', {
      workspace: workspace(pool, a),
      project: pool.pick('project', b),
      name: 'C',
      position: c % 10,
    }),
  (pool, a, b) => patch(`/v1/columns/${pool.pick('column', a)}`, { name: `Col ${b % 3}`, color: orNull(b, '#aabbcc') }),
  (pool, a, b) =>
    b % 2 === 0 ? remove(`/v1/columns/${pool.pick('column', a)}`) : patch(`/v1/columns/${pool.pick('column', a)}`, {}),
  (pool, a, b, c) =>
    post('/v1/columns/reorder', {
      workspace: workspace(pool, a),
      project: pool.pick('project', b),
      data: [pool.pick('column', c), pool.pick('column', c + 1)],
    }),
  (pool, a, b, c) =>
    post('/v1/custom_fields', {
      workspace: workspace(pool, a),
      key: one(['points', 'team'], b),
      name: `Field ${c % 5}`,
      type: one(['number', 'text', 'select'], b + c),
    }),
  (pool, a, b, c) =>
    patch(`/v1/custom_fields/${pool.pick('custom_field', a)}`, {
      name: maybe(b, `Field ${c % 5}`),
      options: maybe(b + c, [{ id: 'red', name: `Red ${c % 3}` }]),
    }),
  (pool, a, b) =>
    b % 3 === 0
      ? remove(`/v1/custom_fields/${pool.pick('custom_field', a)}`)
      : patch(`/v1/custom_fields/${pool.pick('custom_field', a)}`, { position: b % 7 }),
  (pool, a, b, c) => post('/v1/tasks', { workspace: workspace(pool, a), ...taskFields(pool, a, b, c) }),
  (pool, a, b, c) => post('/v1/tasks', { workspace: workspace(pool, a), ...taskFields(pool, b, c, a) }),
  (pool, _a, b, c) =>
    post('/v1/tasks', { workspace: workspace(pool, b), title: 'Bare', project: pool.pick('project', c) }),
  (pool, a, b, c) => patch(`/v1/tasks/${pool.pick('task', a)}`, taskFields(pool, c, a, b)),
  (pool, a, b, c) => patch(`/v1/tasks/${pool.pick('task', a)}`, { status: one(statuses, b), labels: maybe(c, ['x']) }),
  (pool, a, b) => patch(`/v1/tasks/${pool.pick('task', a)}`, { completed_at: orNull(b, 1780000000 + (b % 99)) }),
  (pool, a, b) =>
    b % 2 === 0 ? remove(`/v1/tasks/${pool.pick('task', a)}`) : post(`/v1/tasks/${pool.pick('task', a)}/complete`),
  (pool, a) => post(`/v1/tasks/${pool.pick('task', a)}/complete`),
  (pool, a, b, c) =>
    post(`/v1/tasks/${pool.pick('task', a)}/move`, {
      project: orNull(b, pool.pick('project', b)),
      column: maybe(c, pool.pick('column', c)),
    }),
  (pool, a, b, c) =>
    post('/v1/tasks/batch', {
      workspace: workspace(pool, a),
      data: [taskFields(pool, a, b, c), { title: `Second ${c}` }],
    }),
  (pool, a, b) =>
    post(`/v1/tasks/${pool.pick('task', a)}/comments`, { workspace: workspace(pool, b), body: `Words ${b}` }),
  (pool, a, b) => patch(commentPath(pool, a), { body: `Edited ${b % 3}` }),
  (pool, a) => remove(commentPath(pool, a)),
  (pool, a, b, c) =>
    post(`/v1/tasks/${pool.pick('task', a)}/dependencies`, {
      workspace: workspace(pool, b),
      to: pool.pick('task', c),
      kind: one(['blocks', 'precedes', 'relates_to', 'duplicates'], b),
    }),
  (pool, a) => {
    const id = pool.pick('dependency', a)
    return remove(`${pool.parents.get(id) ?? '/v1/tasks/tsk_none'}/dependencies/${id}`)
  },
  (pool, a, b, c) =>
    post('/v1/time_entries', {
      workspace: workspace(pool, a),
      task: pool.pick('task', b),
      started_at: 1780000000 + (c % 1000),
      duration_ms: 60_000 * (1 + (a % 60)),
      note: maybe(c, ''),
      billable: a % 2 === 0,
    }),
  (pool, a, b) => post('/v1/time_entries/start', { workspace: workspace(pool, a), task: pool.pick('task', b) }),
  (pool, a) => post(`/v1/time_entries/${pool.pick('time_entry', a)}/stop`),
  (pool, a, b) =>
    patch(`/v1/time_entries/${pool.pick('time_entry', a)}`, { note: `N ${b % 3}`, billable: b % 2 === 0 }),
  (pool, a, b) =>
    b % 2 === 0 ? remove(`/v1/time_entries/${pool.pick('time_entry', a)}`) : post('/v1/workspaces', { title: 'T' }),
  (pool, a, b, c) =>
    post('/v1/expenses', {
      workspace: workspace(pool, a),
      category: 'Travel',
      expense_date: '2026-08-03',
      currency: one(['EUR', 'USD', 'XXX'], b),
      gross_amount_minor: c,
      project: maybe(b, pool.pick('project', c)),
    }),
  (pool, a, b, c) =>
    patch(`/v1/expenses/${pool.pick('expense', a)}`, { vendor: `V ${b % 3}`, extra_fields: { k: orNull(c, b) } }),
  (pool, a, b) =>
    b % 2 === 0
      ? remove(`/v1/expenses/${pool.pick('expense', a)}`)
      : patch(`/v1/expenses/${pool.pick('expense', a)}`, {}),
  (pool, a, b, c) =>
    post('/v1/billing_rates', {
      workspace: workspace(pool, a),
      scope: one(['workspace', 'project'], b),
      target: b % 2 === 0 ? null : pool.pick('project', c),
      currency: 'EUR',
      amount_minor: c,
    }),
  (pool, a, b) => patch(`/v1/billing_rates/${pool.pick('billing_rate', a)}`, { amount_minor: b % 7 }),
  (pool, a) => remove(`/v1/billing_rates/${pool.pick('billing_rate', a)}`),
  (pool, a, b, c) =>
    post('/v1/invoice_drafts', {
      workspace: workspace(pool, a),
      project: pool.pick('project', b),
      currency: 'EUR',
      net_amount_minor: c,
      tax_amount_minor: 0,
      gross_amount_minor: c,
    }),
  (pool, a, b) =>
    patch(`/v1/invoice_drafts/${pool.pick('invoice_draft', a)}`, {
      status: one(['draft', 'ready', 'finalized', 'void'], b),
    }),
  (pool, a) => remove(`/v1/invoice_drafts/${pool.pick('invoice_draft', a)}`),
  (_pool, a) => post('/v1/boards', { name: `Board ${a}`, description: maybe(a, '') }),
  (pool, a, b) => patch(`/v1/boards/${pool.pick('board', a)}`, { name: `B ${b % 3}` }),
  (pool, a, b) =>
    b % 3 === 0 ? remove(`/v1/boards/${pool.pick('board', a)}`) : patch(`/v1/boards/${pool.pick('board', a)}`, {}),
  (pool, a, b, c) =>
    post(`/v1/boards/${pool.pick('board', a)}/members`, {
      user: pool.pick('user', b),
      role: one(['editor', 'viewer'], c),
    }),
  (pool, a, b) => patch(`/v1/boards/${pool.pick('board', a)}/members/${pool.pick('user', b)}`, { role: 'commenter' }),
  (pool, a, b) => remove(`/v1/boards/${pool.pick('board', a)}/members/${pool.pick('user', b)}`),
  (_pool, a) => post('/v1/api_keys', { name: `Key ${a}`, scopes: ['tasks:read'] }),
  (pool, a) => remove(`/v1/api_keys/${pool.pick('api_key', a)}`),
  (pool, a, b) => post('/v1/exports', { resource: 'tasks', workspace: maybe(b, workspace(pool, a)) }),
  (pool, a) =>
    post('/v1/webhook_endpoints', { url: `${pool.receiver}/${a}`, event_types: [one(['*', 'workflow.task.*'], a)] }),
  (pool, a, b) =>
    patch(`/v1/webhook_endpoints/${pool.pick('webhook_endpoint', a)}`, { status: one(['enabled', 'paused'], b) }),
  (pool, a) => post(`/v1/webhook_endpoints/${pool.pick('webhook_endpoint', a)}/rotate_secret`),
  (pool, a) => remove(`/v1/webhook_endpoints/${pool.pick('webhook_endpoint', a)}`),
  (pool, a, b) =>
    post(`/v1/task_templates/${pool.pick('task_template', a)}/instantiate`, {
      workspace: workspace(pool, b),
      title: 'Made',
    }),
]

function commentPath(pool: Pool, n: number): string {
  const id = pool.pick('comment', n)
  return `${pool.parents.get(id) ?? '/v1/tasks/tsk_none'}/comments/${id}`
}

export const operation_count = requests.length

/** Sends the request of one step and adds the objects it created to the pool. */
export async function step(world: World, pool: Pool, numbers: Numbers): Promise<Reply> {
  const [operation, a, b, c] = numbers
  const { method, path, body } = (requests[operation % requests.length] as MakeRequest)(pool, a, b, c)
  const reply = await world.call(method, path, body === undefined ? {} : { body })
  if (reply.status === 200) remember(pool, reply.body)
  return reply
}

interface Shown {
  readonly id: string
  readonly object: string
  readonly task?: string
  readonly from?: string
  readonly data?: readonly Shown[]
}

function remember(pool: Pool, made: Shown): void {
  if (made.object === 'list') for (const each of made.data ?? []) remember(pool, each)
  else {
    pool.add(made.object, made.id)
    const task = made.object === 'comment' ? made.task : made.object === 'dependency' ? made.from : undefined
    if (task !== undefined) pool.parents.set(made.id, `/v1/tasks/${task}`)
  }
}
