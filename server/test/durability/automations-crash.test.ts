/**
 * Automation runs in two processes at once, each of which kills itself at some point of some step and is replaced.
 * Every internal effect happens exactly once, every outside request is sent under its one key with its one body, no run
 * is left behind, and sleeping runs wake (contract/16#durability). On an idle machine 52 processes die on each engine;
 * a busy one stops after some seconds, once a process has died at each point. ATRIUM_TEST_CYCLES sets the number.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { query } from '../../src/db/query.ts'
import type { Reader } from '../../src/db/store.ts'
import { type RunningServer, startServer } from '../../src/main.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { chain, comment, delay } from '../automations/graphs.ts'
import { call } from '../call.ts'
import type { EngineName } from '../engines.ts'
import { migratedDatabase } from '../migrated.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { fastClock, type Pace } from './fast-clock.ts'
import { type Installation, install } from './installation.ts'
import type { Orders, Point } from './mortal.ts'
import { assertSound, reading } from './soundness.ts'

const given = process.env.ATRIUM_TEST_CYCLES
const cycles = Number(given ?? 52)
const budget_ms = given === undefined ? 20_000 : Number.POSITIVE_INFINITY
const open_runs = 12
const compile_cache = join(import.meta.dirname, '../../../node_modules/.cache/compile')
const points: readonly Point[] = ['before', 'inside', 'behind', 'sending', 'inside', 'behind', 'sent']

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

class Workers {
  deaths = 0
  private begun = 0
  readonly died = new Map<Point, number>()
  private readonly orders: Omit<Orders, 'point' | 'times'>
  private readonly until = performance.now() + budget_ms
  private stopped = false

  constructor(orders: Omit<Orders, 'point' | 'times'>) {
    this.orders = orders
  }

  get enough(): boolean {
    const late = performance.now() > this.until && new Set(points).size === this.died.size
    return this.deaths >= cycles || late
  }

  /** Keeps a process running; replaces it when it has died, until enough have. */
  async keep(): Promise<void> {
    while (!this.stopped) {
      const point = this.enough ? null : (points[this.begun++ % points.length] as Point)
      const times = point === 'sending' || point === 'sent' ? randomInt(1, 6) : randomInt(1, 40)
      const child = this.spawn({ ...this.orders, point, times })
      const ended = once(child, 'exit')
      this.alive.add(child)
      const [code, signal] = await ended
      running.delete(child)
      this.alive.delete(child)
      // A process without a death point, or told to stop, may have had nothing left to do.
      if (point === null || (this.stopped && signal === null)) return assert.equal(code, 0)
      assert.equal(signal, 'SIGKILL', `it ended by itself with ${code}`)
      this.deaths++
      this.died.set(point, (this.died.get(point) ?? 0) + 1)
    }
  }

  private readonly alive = new Set<ChildProcess>()

  private spawn(orders: Orders): ChildProcess {
    const program = join(import.meta.dirname, 'automations-worker.ts')
    // Compiled source is kept between processes, which halves their start time, as on the command line.
    const env = { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compile_cache }
    const stdio = ['pipe', 'ignore', 'inherit'] as const
    const child = spawn(process.execPath, [program, JSON.stringify(orders)], { env, stdio: [...stdio] })
    running.add(child)
    return child
  }

  /** Ends the remaining processes. */
  end(): void {
    this.stopped = true
    for (const child of this.alive) child.stdin?.end()
  }
}

const countOpen = query((db) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('ended_at', 'is', null),
)
const allRuns = query((db) => db.selectFrom('automation_runs').select(['id', 'task', 'status', 'steps', 'failure']))
const allSteps = query((db) =>
  db
    .selectFrom('automation_steps')
    .select(['run', 'number', 'node', 'path', 'status'])
    .orderBy('run')
    .orderBy('number'),
)
const allComments = query((db) => db.selectFrom('comments').select(['task', 'body']))
const allTasks = query((db) => db.selectFrom('tasks').select(['id', 'title', 'revision', 'creator_type']))
const allAttempts = query((db) => db.selectFrom('automation_attempts').select(['run', 'step', 'outcome']))
const allActions = query((db) =>
  db.selectFrom('audit_entries').select('action').where('entry', 'like', '%"type":"automation"%'),
)

/** One of each: effects, a condition, a loop with a sleep, two requests, and a post to a chat. */
function graph(url: string) {
  const made = chain(
    comment('first', { $template: '{{ run.id }} first' }),
    { id: 'urgent', type: 'condition', config: { expr: "task.priority == 'urgent'" } },
    { id: 'each', type: 'for_each', config: { items: { $expr: "['a', 'b']" }, max_items: 5 } },
    {
      id: 'tell',
      type: 'http.request',
      on_error: 'continue',
      retry: { max_attempts: 10, initial_seconds: 1 },
      config: { method: 'POST', url, body: { run: { $expr: 'run.id' }, at: { $expr: 'now' } } },
    },
    {
      id: 'once',
      type: 'http.request',
      on_error: 'continue',
      config: { method: 'POST', url, delivery: 'at_most_once', body: { once: { $expr: 'run.id' } } },
    },
    {
      id: 'post',
      type: 'chat.post',
      on_error: 'continue',
      retry: { max_attempts: 10, initial_seconds: 1 },
      config: { secret: 'team_chat', text: { $template: '{{ run.id }} {{ now }}' } },
    },
    { id: 'note', type: 'task.update', config: { set: { description: { $expr: 'run.id' } } } },
    comment('last', { $template: '{{ run.id }} last' }),
  )
  made.nodes.push(
    { ...comment('unheard'), config: { body: 'never' } },
    {
      id: 'make',
      type: 'task.create',
      parent: 'each',
      config: { set: { title: { $template: '{{ run.id }} {{ item }}' } } },
    },
    { ...delay('nap', 5), parent: 'each' },
  )
  const choice = made.edges.find(({ source }) => source === 'urgent')
  assert.ok(choice)
  made.edges.splice(made.edges.indexOf(choice), 1, { ...choice, port: 'false' })
  made.edges.push({ source: 'urgent', port: 'true', target: 'unheard' }, { source: 'make', target: 'nap' })
  return { ...made, schema_version: 2, settings: { max_runs_per_hour: 3600 } }
}

/** The result of an outside request is not certain to its sender. */
const callers = new Set(['tell', 'once', 'post'])

const journal = [
  ['first', '', 'succeeded'],
  ['urgent', '', 'succeeded'],
  ['each', '', 'succeeded'],
  ['make', '0', 'succeeded'],
  ['nap', '0', 'succeeded'],
  ['make', '1', 'succeeded'],
  ['nap', '1', 'succeeded'],
  ['tell', '', '*'],
  ['once', '', '*'],
  ['post', '', '*'],
  ['note', '', 'succeeded'],
  ['last', '', 'succeeded'],
  ['unheard', '', 'skipped'],
]

async function arrange(server: RunningServer, { key, organization }: Installation, url: string) {
  await writeSecret(server.services, { organization, mode: 'live', name: 'team_chat', value: url })
  const make = async (path: string, body: object) => {
    const reply = await call(server.url, 'POST', path, { key, body })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  const workspace = (await make('/v1/workspaces', { title: 'Durable' })).id
  const newTask = async () => (await make('/v1/tasks', { workspace, title: 'Subject' })).id as string
  const task = await newTask()
  const flow = (await make('/v1/automation_flows', { workspace, name: 'Durable', graph: graph(url) })).id as string
  const { preview_token } = await make(`/v1/automation_flows/${flow}/preview`, { workspace, task })
  await make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  return { flow, newTask }
}

async function crash(engine: EngineName): Promise<void> {
  const database = await migratedDatabase(engine)
  const receiver = await openReceiver()
  receiver.respond = answer(204)
  const pace: Pace = { begun: Date.now(), rate: 10 }
  const installation = await install(database.url, database.folder, { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' })
  const { environment } = installation
  const server = await startServer(readConfig(environment), { clock: fastClock(pace) })
  const workers = new Workers({ environment, pace })
  try {
    const { flow, newTask } = await arrange(server, installation, receiver.url)
    const kept = [workers.keep(), workers.keep()]
    const reader = server.services.store.reader('system')
    const open = async () => Number((await reader.first(countOpen))?.count)
    const failed = Promise.all(kept).then(() => undefined)
    failed.catch(() => {})
    while (!workers.enough) {
      while ((await open()) < open_runs) await startByHand(server.services, flow, await newTask())
      await Promise.race([sleep(50), failed])
    }
    while ((await open()) > 0) await Promise.race([sleep(50), failed])
    workers.end()
    await Promise.all(kept)
    assert.equal(
      [...workers.died.values()].reduce((sum, count) => sum + count, 0),
      workers.deaths,
    )
    for (const point of points) assert.ok((workers.died.get(point) ?? 0) > 0, `no process died ${point}`)
    await reading(environment.ATRIUM_DATABASE_URL as string, (read) => assertExact(read, installation, receiver))
  } finally {
    workers.end()
    await server.close()
    await receiver.close()
    await database.remove()
  }
}

/** Each run has executed its whole graph exactly once. */
async function assertExact(reader: Reader, { organization }: Installation, receiver: Receiver): Promise<void> {
  await assertSound(reader, organization)
  const runs = await reader.all(allRuns)
  const steps = Map.groupBy(await reader.all(allSteps), ({ run }) => run)
  const comments = (await reader.all(allComments)).map(({ task, body }) => `${task} ${body}`).sort()
  const tasks = await reader.all(allTasks)
  for (const run of runs) {
    assert.deepEqual([run.status, run.steps, run.failure], ['succeeded', journal.length, null], run.id)
    const walked = steps.get(run.id)?.map(({ node, path, status }) => [node, path, callers.has(node) ? '*' : status])
    assert.deepEqual(walked, journal)
    assert.deepEqual(
      steps.get(run.id)?.map(({ number }) => number),
      journal.map((_, i) => i + 1),
    )
    assert.equal(tasks.find(({ id }) => id === run.task)?.revision, 2, 'its task was changed once')
  }
  assert.deepEqual(comments, runs.flatMap(({ id, task }) => [`${task} ${id} first`, `${task} ${id} last`]).sort())
  const made = tasks.filter(({ creator_type }) => creator_type === 'automation').map(({ title }) => title)
  assert.deepEqual(made.sort(), runs.flatMap(({ id }) => [`${id} a`, `${id} b`]).sort())
  const counts = Map.groupBy(await reader.all(allActions), ({ action }) => action)
  const audited = ['task_comments.create', 'tasks.create', 'tasks.update'].map((action) => counts.get(action)?.length)
  assert.deepEqual(audited, [2 * runs.length, 2 * runs.length, runs.length])
  const sent = Map.groupBy(receiver.events, ({ headers }) => headers['idempotency-key'] as string)
  for (const { id } of runs) {
    for (const [step, caller] of [
      [8, 'tell'],
      [10, 'post'],
    ] as const) {
      const requests = sent.get(`${id}:${step}`) ?? []
      const ended = steps.get(id)?.find(({ node }) => node === caller)?.status
      assert.ok(requests.length > 0 || ended === 'failed', 'the request with at least one arrival has arrived')
      assert.equal(new Set(requests.map(({ body }) => body)).size, 1, 'every attempt had the same body')
    }
    assert.ok((sent.get(`${id}:9`) ?? []).length <= 1, 'the request with at most one arrival has not arrived twice')
  }
  for (const { outcome } of await reader.all(allAttempts)) assert.notEqual(outcome, null)
}

describe('Automation runs in two processes that die repeatedly', { concurrency: true }, () => {
  for (const engine of ['sqlite', 'postgres'] as const) it(`on ${engine}`, () => crash(engine))
})
