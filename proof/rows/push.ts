/**
 * Notices of browsers, through a push service that decrypts them as browsers do: about hostile texts, while the service refuses or
 * no longer knows the browser, to people whose rights end before a notice is sent, to internal addresses, and from processes that
 * are killed. What a browser shows is compared with the inbox of its person.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { listSubscriptions, storeSubscription } from '../../server/src/console/pushes/queries.ts'
import { pushTargetContext } from '../../server/src/db/secret-key/sealed-values.ts'
import { second_ms } from '../../server/src/lib/units.ts'
import { inbox_limits } from '../../server/src/notifications/limits.ts'
import { pushWorker } from '../../server/src/workers/push.ts'
import { sessionSweep } from '../../server/src/workers/sweeps/sessions.ts'
import { join, ownerOf, password, Visitor } from '../../server/test/console/visitor.ts'
import { fillInboxes } from '../../server/test/inbox.ts'
import { PushServer, type Shown } from '../../server/test/push-server.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { trap } from '../hostile.ts'
import { hostileText } from '../mail/hostile.ts'
import { type Entry, faultOfNotice } from '../push/judge.ts'
import { killSenders } from '../push/killing.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { innerAddress, targetsOf } from '../targets.ts'
import { captureLog, inWorld } from '../worlds.ts'

/** A worker that never ends would send the same notice again and again. */
const runs_max = 60
/** Each kill costs seconds. */
const cycles_per_kill = 21
const never = new AbortController().signal

export const push = row({
  name: 'push',
  promise:
    'A notice says what the inbox of its person shows, to the browsers of that person only, encrypted, once; again if its process was killed, and never not at all. It reaches no internal address.',
  cycle:
    'a hostile title or comment and the notices about it; one in seven while the service refuses, one for a browser that is gone, one for two people whose rights have ended; one in 21 SIGKILLs to one to three processes that send the same notices',
  cycles: { short: 42, long: 2_100 },
  unproven: [
    'Push services of browsers’ makers, and what browsers do with a notice.',
    'Processes that are killed five times during one notice: the notice is given up then, whether or not it was sent.',
  ],
  async run(trial) {
    for (const engine of trial.engines) {
      if (trial.isOver) break
      const cycles = Math.ceil(trial.cycles / trial.engines.length)
      await tryWorld(trial, engine, cycles)
      if (!trial.isOver) await killSenders(trial, engine, Math.ceil(cycles / cycles_per_kill))
    }
    return { cycles: trial.cycles }
  },
})

interface Scene {
  readonly trial: Trial
  readonly violated: Violated
  readonly world: World
  readonly service: PushServer
  readonly dice: Dice
  readonly owner: Visitor
  /** A member with two browsers, and a key. */
  readonly ben: { readonly user: string; readonly key: string; readonly visitor: Visitor }
  readonly workspace: string
  people: number
  ended: number
}

async function tryWorld(trial: Trial, engine: 'sqlite' | 'postgres', cycles: number): Promise<void> {
  const service = await PushServer.open()
  // Of the loopback only the push service: any other address of it is internal.
  const environment = { ATRIUM_EGRESS_ALLOWED_CIDRS: '', ATRIUM_EGRESS_ALLOWED_HOSTS: '127.0.0.1' }
  try {
    await inWorld(engine, { environment }, async (world) => {
      // Notices that a service refuses are logged.
      captureLog(world)
      const scene = await openScene(trial, prefixed(trial, engine), world, service)
      for (let i = 0; i < cycles && !trial.isOver; i++) await attempts[i % attempts.length]?.(scene)
    })
  } finally {
    await service.close()
  }
}

async function openScene(trial: Trial, violated: Violated, world: World, service: PushServer): Promise<Scene> {
  const owner = await ownerOf(world)
  const visitor = await join(owner, 'ben@acme.example', 'member')
  const user = (await visitor.arrive()).user.id
  const { secret: key } = await world.key({ owner: { type: 'user', id: user } })
  for (const name of ['desk', 'phone']) await visitor.must('POST', 'push-subscriptions', service.subscribe(name))
  const workspace = (await world.make('/v1/workspaces', { title: 'Push' })).id
  const dice = trial.dice.fork()
  const scene = {
    trial,
    violated,
    world,
    service,
    dice,
    owner,
    ben: { user, key, visitor },
    workspace,
    people: 0,
    ended: 0,
  }
  await deliver(scene)
  service.take()
  return scene
}

/** Writes the entries and runs the worker until nothing is due. */
async function deliver({ world, violated }: Scene): Promise<void> {
  await fillInboxes(world.services)
  for (let runs = 0; runs < runs_max; runs++)
    if ((await pushWorker.run(world.services, pushWorker.batch_max, never)) === 0) return
  violated('notices are sent without an end')
}

/** Each of these browsers has shown one notice about the newest entry of Ben. */
async function judge(scene: Scene, about: string, browsers: readonly string[]): Promise<void> {
  const { world, ben, trial, violated } = scene
  const shown: readonly Shown[] = scene.service.take()
  trial.count('notices', shown.length)
  const names = shown.map(({ browser }) => browser).join()
  if (names !== browsers.join()) violated(`${about}: shown in [${names}] instead of [${browsers}]`)
  if (browsers.length === 0) return
  const [entry] = (await world.get('/v1/notifications?limit=1', { key: ben.key })).body.data as Entry[]
  for (const notice of shown) {
    const fault = entry && faultOfNotice(notice, entry, world.acme.id, [ben.user, world.acme.id])
    if (fault) violated(`${about}: a notice ${fault}`)
  }
}

const attempts: readonly ((scene: Scene) => Promise<void>)[] = [
  tryTask,
  tryComment,
  tryRefusal,
  tryGone,
  tryEndedRights,
  tryInternal,
  tryStoredInternal,
]

const both = ['desk', 'phone']

async function tryTask(scene: Scene): Promise<void> {
  const { world, workspace, ben, dice } = scene
  const title = hostileText(dice)
  const description = `Not to be shown ${dice.int(0, 2 ** 30)}`
  const { status } = await world.post('/v1/tasks', { workspace, title, description, assignee: ben.user })
  await deliver(scene)
  await judge(scene, `the title ${JSON.stringify(title)}`, status === 200 ? both : [])
}

async function tryComment(scene: Scene): Promise<void> {
  const { world, workspace, ben, dice } = scene
  const task = await world.make('/v1/tasks', { workspace, title: hostileTitle(dice), assignee: ben.user })
  await deliver(scene)
  scene.service.take()
  const mention = dice.chance(0.5) ? ` [@Ben](atrium:${ben.user})` : ''
  const body = `${hostileText(dice)}${mention}`
  const { status } = await world.post(`/v1/tasks/${task.id}/comments`, { workspace, body })
  await deliver(scene)
  await judge(scene, `the comment ${JSON.stringify(body)}`, status === 200 ? both : [])
}

/** A text that a title may be. */
function hostileTitle(dice: Dice): string {
  return hostileText(dice)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 400)
}

/** The service refuses for a while: the notice is shown once, later. What it refuses for good is not sent again. */
async function tryRefusal(scene: Scene): Promise<void> {
  const { world, workspace, ben, service, dice } = scene
  const status = dice.pick([500, 503, 429, 413])
  service.refusal = { status }
  await world.make('/v1/tasks', { workspace, title: `Refused ${dice.int(0, 2 ** 30)}`, assignee: ben.user })
  await deliver(scene)
  await judge(scene, 'a refused notice', [])
  service.refusal = null
  world.clock.advance(inbox_limits.push_first_wait_ms)
  await deliver(scene)
  await judge(scene, `a notice refused with ${status}`, status === 413 ? [] : both)
}

/** A person with a browser of this name, who has just joined. */
async function newPerson(scene: Scene, role: 'member' | 'guest', projects?: string[]) {
  const { owner, service } = scene
  // Sessions end with time.
  if (scene.people % 50 === 0) await owner.signIn('owner@acme.example', password)
  const name = `person${++scene.people}`
  const visitor = await join(owner, `${name}@acme.example`, role, projects)
  const user = (await visitor.arrive()).user.id as string
  await visitor.must('POST', 'push-subscriptions', service.subscribe(name))
  return { name, visitor, user }
}

/** A browser that its service no longer knows is not asked again. */
async function tryGone(scene: Scene): Promise<void> {
  const { world, workspace, service, dice, violated } = scene
  const { user, visitor } = await newPerson(scene, 'member')
  const status = dice.pick([404, 410])
  service.refusal = { status }
  await world.make('/v1/tasks', { workspace, title: 'Gone', assignee: user })
  await deliver(scene)
  service.refusal = null
  const { asked } = service
  await world.make('/v1/tasks', { workspace, title: 'Gone for good', assignee: user })
  await deliver(scene)
  if (service.asked !== asked) violated(`a browser that was answered with ${status} is asked again`)
  const { data } = await visitor.must('GET', 'push-subscriptions')
  if (data.length > 0) violated(`a browser that was answered with ${status} is still listed`)
  service.take()
}

/** How the right to a notice ends, or the wish for it. */
const ends = ['signed out', 'guest elsewhere', 'revoked', 'expired', 'read', 'inactive', 'switched off'] as const

async function tryEndedRights(scene: Scene): Promise<void> {
  for (let i = 0; i < 2; i++) await tryEndedRight(scene, ends[scene.ended++ % ends.length] as (typeof ends)[number])
}

/** It ends after the notice was planned and before it is sent. */
async function tryEndedRight(scene: Scene, end: (typeof ends)[number]): Promise<void> {
  const { world, workspace, owner, service, violated } = scene
  const projects = [await project(scene), await project(scene)]
  const isGuest = end === 'guest elsewhere'
  const { name, user, visitor } = isGuest ? await newPerson(scene, 'guest', projects) : await newPerson(scene, 'member')
  await world.make('/v1/tasks', { workspace, project: projects[0], title: 'Too late', assignee: user })
  await fillInboxes(world.services)
  const { asked } = service
  if (end === 'signed out') await visitor.must('DELETE', 'session')
  else if (end === 'revoked') await revokeOthers(visitor, name)
  else if (end === 'expired') await expire(scene, visitor)
  else if (end === 'inactive') await owner.must('PATCH', `people/${user}`, { status: 'inactive' })
  else if (end === 'guest elsewhere') await owner.must('PATCH', `people/${user}`, { projects: [projects[1]] })
  else if (end === 'switched off') await visitor.must('PATCH', 'preferences', { push: { assigned: false } })
  else await world.make('/v1/notifications/read_all', {}, { key: await visitor.token() })
  await deliver(scene)
  scene.trial.count(end)
  if (service.asked !== asked) violated(`${end}: the notice is sent all the same`)
  service.take()
}

async function project({ world, workspace, dice }: Scene): Promise<string> {
  return (await world.make('/v1/projects', { workspace, name: `Project ${dice.int(0, 2 ** 30)}` })).id
}

/** Lets the time of all sessions pass. The others sign in again, which continues their notices. */
async function expire({ world, owner, ben }: Scene, visitor: Visitor): Promise<void> {
  world.clock.set((await visitor.arrive()).session.expires_at * second_ms)
  await sessionSweep.run(world.services, sessionSweep.batch_max, never)
  await owner.signIn('owner@acme.example', password)
  await ben.visitor.signIn('ben@acme.example', password)
  for (const { id } of (await ben.visitor.must('GET', 'push-subscriptions')).data)
    await ben.visitor.must('POST', `push-subscriptions/${id}/keep`)
}

/** Ends all sessions of the person but a new one. */
async function revokeOthers({ url }: Visitor, name: string): Promise<void> {
  const other = new Visitor(url)
  await other.signIn(`${name}@acme.example`, password)
  await other.must('DELETE', 'sessions')
}

/** No browser is at an internal address, in whatever notation. */
async function tryInternal(scene: Scene): Promise<void> {
  const { owner, service, dice, violated } = scene
  const browser = service.subscribe('inside')
  for (const endpoint of targetsOf(dice, innerAddress(dice))) {
    if (URL.canParse(endpoint) && new URL(endpoint).hostname === '127.0.0.1') continue
    const reply = await owner.post('push-subscriptions', { ...browser, endpoint })
    if (reply.status !== 400) violated(`the endpoint ${endpoint} is answered with ${reply.status}`)
    scene.trial.count('internal addresses')
  }
}

/** What was allowed once, or has got into the database, is refused when it is used. */
async function tryStoredInternal(scene: Scene): Promise<void> {
  const { world, workspace, service, violated } = scene
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await once(server.listen(0, trap), 'listening')
  const { port } = server.address() as { port: number }
  const { user } = await newPerson(scene, 'member')
  const { p256dh, auth } = service.subscribe('trap')
  await redirect(scene, user, JSON.stringify({ endpoint: `https://${trap}:${port}/`, p256dh, auth }))
  await world.make('/v1/tasks', { workspace, title: 'Trapped', assignee: user })
  await deliver(scene)
  server.close()
  if (connections > 0) violated('a notice reaches an internal address')
  service.take()
}

/** Replaces where the only browser of a person is, past the check of the endpoint. */
async function redirect({ world }: Scene, user: string, target: string): Promise<void> {
  const { store, sealer } = world.services
  const organization = world.acme.id
  const [row] = await store.reader('system').all(listSubscriptions, { organization, user })
  if (row === undefined) throw new Error('The person has no browser.')
  const sealed = sealer.seal(target, pushTargetContext(organization, row.id))
  await store.write('system', async (tx) => tx.write(storeSubscription, { ...row, target: sealed }))
}
