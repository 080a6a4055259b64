/** Two processes over one PostgreSQL whose clocks are five minutes apart: what each does by its own, and what must happen once. */
import { readConfig } from '../../server/src/config.ts'
import type { Clock } from '../../server/src/lib/clock.ts'
import { limits } from '../../server/src/lib/limits.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automation-runs.ts'
import { drainDeliveries } from '../../server/src/workers/deliveries.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { sweeps } from '../../server/src/workers/sweeps.ts'
import { runWorker } from '../../server/src/workers/worker.ts'
import { chain, comment } from '../../server/test/automations/graphs.ts'
import { activate, begin, openOffice, runsOf } from '../../server/test/automations/served.ts'
import { call } from '../../server/test/call.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { test_secret_key } from '../../server/test/secret-key.ts'
import type { World } from '../../server/test/world.ts'
import { firingsBetween } from './calendar.ts'
import { day, hour, minute, type Scene, second } from './scene.ts'
import type { Desk } from './windows.ts'

export const apart_ms = 5 * minute

/** The other process: its clock is always five minutes ahead. */
export async function openAhead(world: World, environment: Readonly<Record<string, string>>): Promise<RunningServer> {
  const clock: Clock = { now: () => world.clock.now() + apart_ms }
  const config = readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_DATA_DIR: world.database.folder,
    ATRIUM_DATABASE_URL: world.database.url,
    ATRIUM_SECRET_KEY: test_secret_key,
    ATRIUM_LOG_LEVEL: 'error',
    ATRIUM_WORKERS: 'false',
    ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    ...environment,
  })
  return await startServer(config, { clock })
}

/** Both processes as a client meets them. */
export function desksOf(world: World, ahead: RunningServer): readonly [Desk, Desk] {
  const behind: Desk = { name: 'behind', now: () => world.clock.now(), call: (...given) => world.call(...given) }
  const other: Desk = {
    name: 'ahead',
    now: () => world.clock.now() + apart_ms,
    call: (method, path, options) => call(ahead.url, method, path, { key: world.acme.key, ...options }),
  }
  return [behind, other]
}

/** A key is remembered for a day of whoever is asked, whatever the other one sweeps. */
export async function tryKeysApart(scene: Scene, desks: readonly Desk[], ahead: RunningServer): Promise<void> {
  const { dice } = scene
  const idempotencyKey = `apart-${dice.int(0, 2 ** 31)}`
  const post = (desk: Desk) => desk.call('POST', '/v1/workspaces', { body: { title: 'Apart' }, idempotencyKey })
  scene.at(scene.start())
  const maker = dice.pick(desks)
  await post(maker)
  const created = maker.now()
  const moments = scene.around(created + day).sort((a, b) => a - b)
  for (const moment of moments) {
    scene.at(moment)
    await sweep(ahead, 'idempotency_sweep')
    const desk = dice.pick(desks)
    const age = desk.now() - created
    const replays = (await post(desk)).headers['idempotent-replayed'] === 'true'
    scene.expect(replays, age < day, `a key of ${age} ms by the clock of the one ${desk.name} replayed`)
    // It has begun anew.
    if (!replays) return
  }
}

/** A token is good by the clock of whoever is asked. */
export async function tryTokensApart(scene: Scene, desks: readonly Desk[]): Promise<void> {
  const { world, dice } = scene
  const made = Math.floor(scene.start() / second) * second
  scene.at(made)
  const expiresAt = made + hour
  const { secret } = await world.key({ kind: 'access_token', expiresAt })
  for (const moment of [...scene.around(expiresAt), ...scene.around(expiresAt - apart_ms)]) {
    scene.at(moment)
    const desk = dice.pick(desks)
    const { status } = await desk.call('GET', '/v1/me', { key: secret })
    scene.expect(status, desk.now() < expiresAt ? 200 : 401, `a token on the one ${desk.name}`)
  }
}

/** A firing begins one run, by the clock of whoever looks first. */
export async function trySchedulesApart(scene: Scene, ahead: RunningServer, looks: number): Promise<void> {
  const { world, dice } = scene
  scene.at(scene.start())
  const office = await openOffice(world)
  const [cron, timezone] = ['*/30 * * * *', 'UTC']
  const nodes = [
    { id: 'when', type: 'trigger.schedule', config: { cron, timezone } },
    { id: 'make', type: 'task.create', config: { set: { title: 'Made' } } },
  ]
  const edges = [{ source: 'when', target: 'make' }]
  const flow = await activate(world, office, { schema_version: 1, settings: { max_runs_per_hour: 3600 }, nodes, edges })
  const nextOf = (after: number) => firingsBetween(cron, timezone, after, after + hour)[0] as number
  let next = nextOf(scene.now)
  let runs = 0
  for (let look = 0; look < looks; look++) {
    const due = next - scene.now
    scene.at(scene.now + dice.pick([minute, -apart_ms, 20 * minute, due, due - 1, due - apart_ms, due - apart_ms - 1]))
    for (const { clock, store } of dice.shuffle([world.services, ahead.services])) {
      await begin(store === world.services.store ? world.services : ahead.services)
      if (clock.now() < next) continue
      runs++
      next = nextOf(clock.now())
    }
    scene.expect((await runsOf(world, office, flow.id)).length, runs, `the runs of ${cron}, look ${look}`)
  }
  await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
}

/** What both take in hand at once: each step of a run once, one file of an export, every delivery at least once. */
export async function tryWorkApart(scene: Scene, ahead: RunningServer): Promise<number> {
  const { world, dice } = scene
  scene.at(scene.start())
  const receiver = await openReceiver()
  try {
    const body = { url: receiver.url, event_types: ['workflow.comment.created'] }
    const endpoint = await world.make('/v1/webhook_endpoints', body)
    const office = await openOffice(world)
    const flow = await activate(world, office, chain(comment('one'), comment('two'), comment('three')))
    const count = dice.int(1, 6)
    for (let i = 0; i < count; i++) await startByHand(world.services, flow.id, office.task)
    const { id } = await world.make('/v1/exports', { resource: 'tasks' })
    // Those behind find the leases of the other far ahead, and the other finds theirs over.
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all([world.services, ahead.services].map((services) => drainRuns(services)))
      await Promise.all(
        [world.services, ahead.services].map((services) => runWorker(services, exportsWorker, 'either')),
      )
      await Promise.all([world.services, ahead.services].map((services) => drainDeliveries(services)))
      scene.at(scene.now + apart_ms + minute)
    }
    const said = (await world.get(`/v1/tasks/${office.task}/comments?limit=100`)).body.data.length
    scene.expect(said, 3 * count, `the steps of ${count} runs`)
    const job = (await world.get(`/v1/jobs/${id}`)).body
    scene.expect(job.status, 'completed', 'an export')
    // A run of an earlier part may have woken meanwhile.
    const own = receiver.events.filter(({ event }) => event.data.object.task === office.task)
    const told = new Set(own.map(({ event }) => event.id)).size
    scene.expect(told, 3 * count, 'events told')
    await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
    await world.delete(`/v1/webhook_endpoints/${endpoint.id}`)
    return own.length - told
  } finally {
    await receiver.close()
  }
}

/** What the one ahead sweeps is over for the one behind as well. */
export async function trySweepsApart(scene: Scene, ahead: RunningServer): Promise<void> {
  const { world } = scene
  scene.at(scene.start())
  await world.make('/v1/workspaces', { title: 'Swept' })
  const event = (await world.get('/v1/events?limit=1')).body.data[0]
  const { id } = await world.make('/v1/exports', { resource: 'tasks' })
  await runWorker(world.services, exportsWorker, 'behind')
  const made = scene.now
  for (const moment of scene.around(made + limits.export_file_ms).sort((a, b) => a - b)) {
    scene.at(moment)
    await sweep(ahead, 'export_sweep')
    const { status, download_url, download_url_expires_at } = (await world.get(`/v1/jobs/${id}`)).body
    const age = moment - made
    scene.expect(status, age < limits.export_file_ms ? 'completed' : 'expired', `an export of ${age} ms`)
    if (download_url === null || moment >= download_url_expires_at * second) continue
    const path = download_url.slice(world.server.url.length)
    scene.expect(await statusOf(world, path), 200, `the file of an export of ${age} ms`)
  }
  for (const moment of scene.around(made + limits.event_retention_ms).sort((a, b) => a - b)) {
    scene.at(moment)
    await sweep(ahead, 'event_sweep')
    const { status } = await world.get(`/v1/events/${event.id}`)
    const age = moment - made
    // Its id may have been made by a clock that was ahead, and does not tell then when it was over.
    scene.expect(status === 200, age < limits.event_retention_ms, `an event of ${age} ms there`)
  }
}

async function sweep(ahead: RunningServer, name: string): Promise<void> {
  const worker = sweeps.find((each) => each.name === name)
  if (worker === undefined) throw new Error(`there is no ${name}`)
  await runWorker(ahead.services, worker, 'ahead')
}

/** 0: the answer broke off. */
async function statusOf(world: World, path: string): Promise<number> {
  return await world.get(path, { key: null }).then(
    ({ status }) => status,
    () => 0,
  )
}
