/** Processes killed while they send notices: each notice is shown once, or again for each kill, and none is forgotten. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../server/src/config.ts'
import { createOperatorLink } from '../../server/src/console/links/create-operator-link.ts'
import { query } from '../../server/src/db/query.ts'
import type { PushRow } from '../../server/src/db/schema.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'
import { call } from '../../server/test/call.ts'
import { password, tokenOf, Visitor } from '../../server/test/console/visitor.ts'
import { fastClock, type Pace } from '../../server/test/durability/fast-clock.ts'
import type { Orders, Point } from '../../server/test/durability/mortal.ts'
import { run as runProgram } from '../../server/test/durability/programs.ts'
import { fillInboxes } from '../../server/test/inbox.ts'
import { PushServer } from '../../server/test/push-server.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { type EngineName, prefixed, type Trial, type Violated } from '../row.ts'

const notices = 3
/** A lease of a minute, in the time of the processes, is over after about a second. */
const rate = 60
const settled_ms_max = 30_000
const death_ms_max = 20_000
/** Fewer than a notice survives. */
const kills_max = 3

const allPushes = query<PushRow>((db) => db.selectFrom('pushes').selectAll())

interface Scene {
  readonly trial: Trial
  readonly violated: Violated
  readonly deployment: Deployment
  readonly server: RunningServer
  readonly service: PushServer
  readonly pace: Pace
  readonly user: string
  readonly workspace: string
}

export async function killSenders(trial: Trial, engine: EngineName, kills: number): Promise<void> {
  const service = await PushServer.open()
  await using deployment = await openDeployment(engine, { ATRIUM_EGRESS_ALLOWED_HOSTS: '127.0.0.1' })
  const pace: Pace = { begun: Date.now(), rate }
  const server = await startServer(readConfig(deployment.installation.environment), { clock: fastClock(pace) })
  try {
    const violated = prefixed(trial, `${engine}, killed`)
    const scene = {
      trial,
      violated,
      deployment,
      server,
      service,
      pace,
      ...(await subscribe(deployment, server, service)),
    }
    for (let i = 0; i < kills && !trial.isOver; i++) await killOne(scene, trial.dice.fork())
  } finally {
    await server.close()
    await service.close()
  }
}

async function subscribe({ installation }: Deployment, server: RunningServer, service: PushServer) {
  const { organization, key } = installation
  const link = await createOperatorLink(server.services, { organization, email: 'owner@acme.example' })
  const visitor = new Visitor(server.url)
  await visitor.arrive()
  await visitor.must('POST', 'set-up', { token: tokenOf(link.url), password })
  await visitor.must('POST', 'push-subscriptions', service.subscribe('phone'))
  const { user } = await visitor.arrive()
  const made = await call(server.url, 'POST', '/v1/workspaces', { key, body: { title: 'Killed' } })
  return { user: user.id as string, workspace: made.body.id as string }
}

/** The points that a process passes for three notices, each claimed, sent and recorded. */
function planOf(dice: Dice): { point: Point; times: number } {
  const point = dice.pick(['inside', 'behind', 'sending', 'sent', 'sent'] as const)
  return { point, times: dice.int(1, point === 'sending' || point === 'sent' ? notices : 2 * notices) }
}

async function killOne(scene: Scene, dice: Dice): Promise<void> {
  const { deployment, server, user, workspace, pace, trial, violated } = scene
  const { environment, key } = deployment.installation
  for (let i = 0; i < notices; i++) {
    const body = { workspace, title: `Killed ${i}`, assignee: user }
    await call(server.url, 'POST', '/v1/tasks', { key, body })
  }
  await fillInboxes(server.services)
  const plan = planOf(dice)
  let kills = 0
  for (const times = dice.int(1, kills_max); kills < times && (await unsettled(scene)).length > 0; kills++) {
    // The first process left at least one notice if it was killed before it had recorded them all.
    const orders: Orders = { environment, pace, ...(kills === 0 ? plan : { point: 'sent', times: 1 }) }
    const doomed = runProgram('push-worker.ts', JSON.stringify(orders))
    await Promise.race([doomed.line().then(() => doomed.line()), sleep(death_ms_max, null, { ref: false })])
    doomed.signal('SIGKILL')
    await doomed.end()
    trial.count(`killed ${orders.point}`)
  }
  const next = runProgram('push-worker.ts', JSON.stringify({ environment, pace, point: null, times: 0 }))
  await expectSettled(scene)
  await next.end()
  const shown = Map.groupBy(scene.service.take(), ({ title }) => title)
  if (shown.size !== notices)
    violated(`${plan.point} ${plan.times}: ${shown.size} notices are shown instead of ${notices}`)
  for (const [title, times] of shown)
    if (times.length > 1 + kills)
      violated(`${plan.point} ${plan.times}: ${title} is shown ${times.length} times after ${kills} kills`)
}

async function unsettled({ server }: Scene): Promise<PushRow[]> {
  const rows = await server.services.store.reader('system').all(allPushes, {})
  return rows.filter(({ status }) => status === 'due' || status === 'sending')
}

/** Waits until no notice is due or being sent; notices that are sent again and again have no end. */
async function expectSettled(scene: Scene): Promise<void> {
  const { server, violated } = scene
  for (const until = Date.now() + settled_ms_max; Date.now() < until; await sleep(20)) {
    if ((await unsettled(scene)).length > 0) continue
    const rows = await server.services.store.reader('system').all(allPushes, {})
    const lost = rows.filter(({ status }) => status !== 'sent')
    if (lost.length > 0) violated(`notices are ${lost.map(({ status, error }) => `${status}: ${error}`)}`)
    return
  }
  violated('notices stay unsent')
}
