/** Two processes over one PostgreSQL with clocks five minutes apart: what each does by its own clock, and what must happen once. */

import { limits } from '../../server/src/api/limits.ts'
import { readConfig } from '../../server/src/config.ts'
import type { Clock } from '../../server/src/lib/clock.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { drainDeliveries } from '../../server/src/workers/deliveries/deliveries.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { sweeps } from '../../server/src/workers/sweeps/sweeps.ts'
import { runWorker } from '../../server/src/workers/worker.ts'
import { chain, comment } from '../../server/test/automations/graphs.ts'
import { activate, begin, openOffice, runsOf } from '../../server/test/automations/served.ts'
import { call } from '../../server/test/call.ts'
import { serverEnvironment } from '../../server/test/durability/installation.ts'
import { openReceiver } from '../../server/test/receiver.ts'

import type { World } from '../../server/test/world.ts'
import { firingsBetween } from './calendar.ts'
import { day, hour, minute, type Scene, second } from './scene.ts'
import type { Peer } from './windows.ts'

const apart_ms = 5 * minute

/** Starts the second process, whose clock is five minutes ahead. */
export async function openAhead(world: World, environment: Readonly<Record<string, string>>): Promise<RunningServer> {
  const clock: Clock = { now: () => world.clock.now() + apart_ms }
  const config = readConfig({
    ...serverEnvironment(world.database.url, world.database.folder),
    ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    ...environment,
  })
  return await startServer(config, { clock })
}

export function peersOf(world: World, ahead: RunningServer): readonly [Peer, Peer] {
  const behind: Peer = { name: 'behind', now: () => world.clock.now(), call: (...given) => world.call(...given) }
  const other: Peer = {
    name: 'ahead',
    now: () => world.clock.now() + apart_ms,
    call: (method, path, options) => call(ahead.url, method, path, { key: world.acme.key, ...options }),
  }
  return [behind, other]
}

/** Each process keeps a key for a day by its own clock, whatever the other one sweeps. */
export async function tryKeysApart(scene: Scene, peers: readonly Peer[], ahead: RunningServer): Promise<void> {
  const { dice } = scene
  const idempotencyKey = `apart-${dice.int(0, 2 ** 31)}`
  const post = (peer: Peer) => peer.call('POST', '/v1/workspaces', { body: { title: 'Apart' }, idempotencyKey })
  scene.at(scene.start())
  const maker = dice.pick(peers)
  await post(maker)
  const created = maker.now()
  const moments = scene.around(created + day).sort((a, b) => a - b)
  for (const moment of moments) {
    scene.at(moment)
    await sweep(ahead, 'idempotency_sweep')
    const peer = dice.pick(peers)
    const age = peer.now() - created
    const replays = (await post(peer)).headers['idempotent-replayed'] === 'true'
    scene.expect(replays, age < day, `a key of ${age} ms by the clock of the one ${peer.name} replayed`)
    // The request acted again, so the key's day starts over.
    if (!replays) return
  }
}

/** Each process accepts a token by its own clock. */
export async function tryTokensApart(scene: Scene, peers: readonly Peer[]): Promise<void> {
  const { world, dice } = scene
  const made = Math.floor(scene.start() / second) * second
  scene.at(made)
  const expiresAt = made + hour
  const { secret } = await world.key({ kind: 'access_token', expiresAt })
  for (const moment of [...scene.around(expiresAt), ...scene.around(expiresAt - apart_ms)]) {
    scene.at(moment)
    const peer = dice.pick(peers)
    const { status } = await peer.call('GET', '/v1/me', { key: secret })
    scene.expect(status, peer.now() < expiresAt ? 200 : 401, `a token on the one ${peer.name}`)
  }
}

/** A firing starts one run, by the clock of the process that looks first. */
export async function trySchedulesApart(scene: Scene, ahead: RunningServer, checks: number): Promise<void> {
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
  for (let check = 0; check < checks; check++) {
    const due = next - scene.now
    scene.at(scene.now + dice.pick([minute, -apart_ms, 20 * minute, due, due - 1, due - apart_ms, due - apart_ms - 1]))
    for (const { clock, store } of dice.shuffle([world.services, ahead.services])) {
      await begin(store === world.services.store ? world.services : ahead.services)
      if (clock.now() < next) continue
      runs++
      next = nextOf(clock.now())
    }
    scene.expect((await runsOf(world, office, flow.id)).length, runs, `the runs of ${cron}, check ${check}`)
  }
  await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
}

/** Work that both claim concurrently: each step of a run once, one file per export, every delivery at least once. */
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
    // For the process behind, the other's leases last long; for the one ahead, they expire early.
    const both = [world.services, ahead.services]
    for (let turn = 0; turn < 4; turn++) {
      await Promise.all(both.map((services) => drainRuns(services)))
      await Promise.all(both.map((services) => runWorker(services, exportsWorker, 'either')))
      await Promise.all(both.map((services) => drainDeliveries(services)))
      scene.at(scene.now + apart_ms + minute)
    }
    const comments = (await world.get(`/v1/tasks/${office.task}/comments?limit=100`)).body.data.length
    scene.expect(comments, 3 * count, `the steps of ${count} runs`)
    const job = (await world.get(`/v1/jobs/${id}`)).body
    scene.expect(job.status, 'completed', 'an export')
    // A run of an earlier part may have continued meanwhile.
    const own = receiver.events.filter(({ event }) => event.data.object.task === office.task)
    const delivered = new Set(own.map(({ event }) => event.id)).size
    scene.expect(delivered, 3 * count, 'delivered events')
    await world.post(`/v1/automation_flows/${flow.id}/pause`, { workspace: office.workspace })
    await world.delete(`/v1/webhook_endpoints/${endpoint.id}`)
    return own.length - delivered
  } finally {
    await receiver.close()
  }
}

/** The process ahead sweeps only what has expired for the process behind as well. */
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
    // Its id may come from a clock that was ahead, so only its presence is checked.
    scene.expect(status === 200, age < limits.event_retention_ms, `an event of ${age} ms there`)
  }
}

async function sweep(ahead: RunningServer, name: string): Promise<void> {
  const worker = sweeps.find((each) => each.name === name)
  if (worker === undefined) throw new Error(`there is no ${name}`)
  await runWorker(ahead.services, worker, 'ahead')
}

/** 0 if the connection was cut. */
async function statusOf(world: World, path: string): Promise<number> {
  return await world.get(path, { key: null }).then(
    ({ status }) => status,
    () => 0,
  )
}
