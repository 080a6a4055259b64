/**
 * A tour of every error code that the contract gives a class of operations, with one operation per class. The model predicts
 * each answer, as for any request.
 */

import { named } from './board-changes.ts'
import { operations } from './catalogue.ts'
import type { Change } from './change.ts'
import { disabling, lapse, pass } from './changes.ts'
import { beyond_max, remainingOf } from './credits.ts'
import type { Model } from './model.ts'
import type { ModelRequest } from './model-request.ts'
import type { Json } from './names.ts'
import type { OperationModel } from './operation.ts'
import type { Incident } from './rules.ts'
import { first } from './server.ts'
import type { Credential } from './state.ts'
import type { Divergence, Run } from './trial.ts'

const byId = new Map(operations.map((operation) => [operation.id, operation]))

type Changes = Partial<Omit<ModelRequest, 'operation'>> & { readonly path?: readonly string[] }

/** A series of requests, until an answer differs from the model's. */
class Tour {
  private readonly run: Run
  found: Divergence | null = null
  private keys = 0

  constructor(run: Run) {
    this.run = run
  }

  incoming(id: string, { path = [], ...changes }: Changes = {}): ModelRequest {
    const operation = byId.get(id) as OperationModel
    const [live] = first.credentials
    const params = Object.fromEntries(operation.names.map((name, i) => [name, path[i] ?? '']))
    const keys = operation.method === 'GET' ? [] : [`tour-${++this.keys}`]
    const presented = this.as(live.id)
    return {
      operation,
      presented,
      inUrl: false,
      params,
      query: [],
      body: undefined,
      raw: null,
      keys,
      headers: {},
      ...changes,
    }
  }

  as(id: string): ModelRequest['presented'] {
    const is = this.model.credential(id) ?? null
    return { secret: is?.secret ?? null, is }
  }

  async ask(id: string, changes: Changes = {}, incident: Incident = 'none'): Promise<void> {
    if (this.found === null) this.found = await this.run.compareAnswers(this.incoming(id, changes), incident)
  }

  async twins(id: string, changes: Changes): Promise<void> {
    if (this.found === null) this.found = await this.run.compareAnswers(this.incoming(id, changes), 'none', true)
  }

  async move(moved: Change): Promise<void> {
    if (this.found === null) this.found = await this.run.change(moved)
  }

  get model(): Model {
    return this.run.model
  }

  /** The id of the newest thing of a kind, or of an earlier one. */
  last(kind: string, at = 1): string {
    return (
      this.model
        .realm('live')
        .things.filter((thing) => thing.kind === kind)
        .at(-at)?.id ?? ''
    )
  }
}

/** One operation per class, with a valid request for it. */
function standing(tour: Tour): Readonly<Record<string, readonly [id: string, changes: Changes]>> {
  const task = tour.last('task')
  return {
    base: ['me.retrieve', {}],
    scoped_read: ['usage.retrieve', {}],
    single_read: ['tasks.retrieve', { path: [task] }],
    list: ['projects.list', {}],
    nested_list: ['task_comments.list', { path: [task] }],
    write: ['tasks.update', { path: [task], body: { priority: 'low' } }],
    webhook_write: [
      'webhook_endpoints.update',
      { path: [tour.last('webhook_endpoint')], body: { exclude_own_events: true } },
    ],
  }
}

export async function visitAll(run: Run): Promise<Divergence | null> {
  const tour = new Tour(run)
  await furnish(tour)
  const classes = Object.values(standing(tour))
  for (const [id, changes] of classes) await admissions(tour, id, changes)
  for (const toggle of [lapse, ...classes.map(([id]) => disabling(id))]) {
    await tour.move(toggle(tour.model))
    for (const [id, changes] of classes) await tour.ask(id, changes)
    await tour.move(toggle(tour.model))
  }
  await inputs(tour)
  await writes(tour)
  await spend(tour)
  for (const [id, changes] of classes) await tour.ask(id, changes)
  return tour.found
}

/** Prepares the tour: pairs that can be confused, and something deleted. */
async function furnish(tour: Tour): Promise<void> {
  for (const title of ['One', 'Other']) await tour.ask('workspaces.create', { body: { title } })
  const workspace = tour.last('workspace', 2)
  for (const each of [workspace, tour.last('workspace')])
    await tour.ask('projects.create', { body: { workspace: each, name: 'Here' } })
  for (const title of ['Gone', 'Commented', 'Standing']) await tour.ask('tasks.create', { body: { workspace, title } })
  for (const at of [2, 1])
    await tour.ask('task_comments.create', { path: [tour.last('task', at)], body: { workspace, body: 'Words' } })
  await tour.ask('tasks.delete', { path: [tour.last('task', 3)] })
  for (const name of ['East', 'West']) {
    await tour.ask('boards.create', { body: { name } })
    await tour.move(named(tour.model, tour.last('board'), 'room-1'))
  }
  await tour.ask('webhook_endpoints.create', { body: { url: tour.model.setting.receivers.good, event_types: ['*'] } })
  await tour.ask('api_keys.create', { body: { name: 'Small', scopes: ['files:read'] } })
}

const never = (prefix: string): string => `${prefix}_01J${'0'.repeat(23)}`

async function admissions(tour: Tour, id: string, changes: Changes): Promise<void> {
  for (const secret of [null, 'atr_live_x', 'atr_at_live_x'])
    await tour.ask(id, { ...changes, presented: { secret, is: null } })
  await tour.ask(id, { ...changes, presented: tour.as(tour.last('api_key')) })
  for (const incident of ['no store', 'no account', 'a fault'] as const) await tour.ask(id, changes, incident)
}

const nonsense: ModelRequest['query'] = [['nonsense', '1']]

/** Invalid input, class by class. */
async function inputs(tour: Tour): Promise<void> {
  const [workspace, task, gone] = [tour.last('workspace', 2), tour.last('task'), tour.last('task', 3)]
  const room = 'room-1'
  const after = (id: string, more: ModelRequest['query'] = []): ModelRequest['query'] => [
    ['starting_after', id],
    ...more,
  ]
  const body = { priority: 'high' }
  await tour.ask('tasks.retrieve', { path: [task], query: nonsense })
  for (const each of [never('tsk'), gone]) await tour.ask('tasks.retrieve', { path: [each] })
  await tour.ask('boards.retrieve', { path: [room] })
  await tour.ask('projects.list', { query: nonsense })
  await tour.ask('projects.list', { query: after(never('prj')) })
  await tour.ask('projects.list', { query: after(tour.last('project'), [['workspace', workspace]]) })
  await tour.ask('task_comments.list', { path: [task], query: nonsense })
  for (const each of [never('cmt'), tour.last('comment', 2)])
    await tour.ask('task_comments.list', { path: [task], query: after(each) })
  for (const each of [never('tsk'), gone]) await tour.ask('task_comments.list', { path: [each] })
  await tour.ask('board_items.list', { path: [room] })
  for (const each of [never('tsk'), gone]) await tour.ask('tasks.update', { path: [each], body })
  await tour.ask('boards.update', { path: [room], body: { name: 'Both' } })
  await tour.ask('webhook_endpoints.update', { path: [never('whe')], body: { exclude_own_events: true } })
}

/** Invalid writes and keys. */
async function writes(tour: Tour): Promise<void> {
  const cases: readonly (readonly [id: string, path: string, body: Json, other: Json])[] = [
    ['tasks.update', tour.last('task'), { priority: 'high' }, { priority: 'urgent' }],
    [
      'webhook_endpoints.update',
      tour.last('webhook_endpoint'),
      { exclude_own_events: false },
      { event_types: ['workflow.*'] },
    ],
  ]
  for (const [id, path, body, other] of cases) {
    await tour.ask(id, { path: [path], body, query: nonsense })
    await tour.ask(id, { path: [path], body: { nonsense: 1 } })
    for (const keys of [[], ['a b']]) await tour.ask(id, { path: [path], body, keys })
    for (const sent of [body, body, other]) await tour.ask(id, { path: [path], body: sent, keys: [`${id}-once`] })
    await tour.ask(id, { path: [path], body, headers: { 'if-match': '"99"' } })
    await tour.twins(id, { path: [path], body: other })
  }
  const path = [tour.last('webhook_endpoint')]
  const { receivers } = tour.model.setting
  const urls = ['ftp://127.0.0.1/', receivers.gone, receivers.bad]
  for (const url of urls) await tour.ask('webhook_endpoints.update', { path, body: { url } })
}

/** Spends a minute's credits up to the last, the most expensive requests first, and then the answers beyond the credits. */
async function spend(tour: Tour): Promise<void> {
  const { model } = tour
  const [live] = first.credentials
  await tour.move(pass(model, 60 - (model.now % 60)))
  const left = () =>
    Math.min(...Object.values(remainingOf(model, tour.as(live.id).is as Credential)).map((each) => each ?? 0))
  for (const [id, cost] of [
    ['exports.create', 500],
    ['tasks.count', 50],
    ['workspaces.list', 5],
    ['api.retrieve', 1],
  ] as const) {
    const body = id === 'exports.create' ? { body: { resource: 'tasks' } } : {}
    while (tour.found === null && left() >= cost) await tour.ask(id, body)
  }
  for (let i = 0; i < beyond_max; i++) await tour.ask('usage.retrieve')
}
