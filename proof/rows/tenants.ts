/**
 * Objects of another organization, of the other realm or of another person are answered like objects that never existed: at every place of every
 * request, byte for byte, in the request log and in response time. Each probe sends a foreign id and its twin, which does not
 * exist, and compares everything observable.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../server/src/api/declare/operation.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import type { Reply } from '../../server/test/call.ts'
import { comparable } from '../../server/test/conformance/answers.ts'
import { sendCall } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { type ForeignValue, type Neighbours, openNeighbours, prefixOf } from '../foreign-values.ts'
import { type IdPlace, idPlacesOf, type Request } from '../id-places.ts'
import { row, type Trial } from '../row.ts'
import { timeDifference } from '../welch.ts'
import { captureLog, inWorld } from '../worlds.ts'

/** Beyond this Welch's t two kinds of answer take different times. */
const t_max = 4.5

/** Every write creates its target, so a world runs into the limits on keys and endpoints. */
const world_probes_max = 4000

/** More than the lanes that commit, so that writes wait and share batches. */
const writers_beside = 6

export const tenants = row({
  name: 'tenants',
  promise:
    'An object of another tenant, or of another person alone, is answered, logged and timed like one that never existed, wherever a request names it.',
  cycle: "a probe: two requests that differ in one id, another tenant's or person's, or one that does not exist",
  // Each operation once on each engine.
  cycles: { short: 320, long: 40_000 },
  unproven: [
    'Time differences too small to measure over the loopback.',
    'Ids in the graph of an automation: they are plain text until a run uses them.',
  ],
  async run(trial) {
    let probes = 0
    let worst = 0
    for (const engine of trial.engines) {
      const worlds = Math.ceil(trial.cycles / 2 / world_probes_max)
      for (let n = 1; n <= worlds && !trial.isOver; n++) {
        await inWorld(engine, {}, async (world) => {
          const scene = await openScene(trial, world)
          probes += await probeAll(scene, Math.ceil(trial.cycles / trial.engines.length / worlds))
          if (n === worlds) worst = Math.max(worst, await timeAll(scene))
        })
        trial.say(`${engine}: ${worlds - n} worlds to go`)
      }
    }
    return { cycles: probes, figures: { probes, requests: probes * 2, 'worst |t|': Math.round(worst * 100) / 100 } }
  },
})

interface Scene {
  readonly trial: Trial
  readonly world: World
  readonly neighbours: Neighbours
  readonly kinds: readonly string[]
  /** What the process logged since the last probe. */
  readonly logged: string[]
  /** How often others wrote under a key that is then used here. */
  sharedKeys: number
  /** Writes of the other organization beside the probes. */
  writesBeside: number
}

async function openScene(trial: Trial, world: World): Promise<Scene> {
  const neighbours = await openNeighbours(world)
  const logged = captureLog(world)
  const kinds = [...neighbours.foreign.keys()].filter((kind) => /^[a-z]{2,4}$/.test(kind) && kind !== 'prv')
  return { trial, world, neighbours, kinds, logged, sharedKeys: 0, writesBeside: 0 }
}

/** Probes the operations in turn, each time at a random place with a random foreign value. */
async function probeAll(scene: Scene, count: number): Promise<number> {
  const { trial, neighbours, kinds } = scene
  const dice = trial.dice.fork()
  const operations = dice.shuffle(catalogue)
  const heads = await foreignLogHeads(scene)
  const endBeside = await writeBeside(scene)
  let done = 0
  for (let i = 0; i < count && !trial.isOver; i++) {
    const operation = operations[i % operations.length] as Operation
    const call = await neighbours.own.call(operation)
    const places = idPlacesOf(operation, call, kinds).filter((place) => foreignAt(scene, place).length > 0)
    if (operation.kind === 'write' && dice.chance(0.1)) await trySharedKey(scene, operation)
    if (places.length === 0) continue
    const place = dice.pick(places)
    const { what, value, twin } = dice.pick(foreignAt(scene, place))
    const headers = headersFor(operation, place, dice)
    const send = (sent: string) => {
      const { call: put, options } = place.put(call, sent)
      return observe(scene, { call: put, options: { ...options, headers: { ...headers, ...options.headers } } }, sent)
    }
    const [first, second] = dice.chance(0.5) ? [value, twin] : [twin, value]
    const observed = [await send(first as string), await send(second as string)]
    judge(scene, `${operation.id}, ${place.name} ${JSON.stringify(headers)}: ${what} ${value}`, observed)
    done++
  }
  await endBeside()
  const after = await foreignLogHeads(scene)
  if (!isDeepStrictEqual(heads, after)) trial.violated(`the logs of others grew: ${heads} became ${after}`)
  return done
}

/** On PostgreSQL the other organization writes meanwhile, so that the probes share batches with it. Returns what ends it. */
async function writeBeside(scene: Scene): Promise<() => Promise<void>> {
  const { world, trial } = scene
  if (world.services.store.dialect !== 'postgres') return async () => {}
  const { key } = world.globex
  scene.writesBeside++
  const path = `/v1/workspaces/${(await world.make('/v1/workspaces', { title: 'Beside' }, { key })).id}`
  let ended = false
  const writing = Array.from({ length: writers_beside }, async (_, writer) => {
    while (!ended) {
      const { status, text } = await world.patch(path, { title: `${writer} ${scene.writesBeside++}` }, { key })
      if (status !== 200) trial.violated(`a write beside the probes: ${status} ${text}`)
    }
  })
  return async () => {
    ended = true
    await Promise.all(writing)
  }
}

function foreignAt({ neighbours }: Scene, place: IdPlace): ForeignValue[] {
  return place.kinds.flatMap((kind) => neighbours.foreign.get(kind) ?? [])
}

/** Headers whose evaluation could reveal a row that must not be found. */
function headersFor(operation: Operation, place: IdPlace, dice: Dice): Record<string, string> {
  if (operation.kind !== 'write') return dice.chance(0.3) ? { 'if-none-match': dice.pick(['*', '"1"']) } : {}
  const rehearsed: Record<string, string> = place.isRehearsed || dice.chance(0.3) ? { prefer: 'dry-run' } : {}
  const conditional = operation.method !== 'POST' && place.name.startsWith('path') && dice.chance(0.5)
  return conditional ? { ...rehearsed, 'if-match': dice.pick(['*', '"1"', '"2"', '1']) } : rehearsed
}

interface Observed {
  readonly answer: object
  readonly entry: object
  readonly reply: Reply
  readonly value: string
}

/** Everything the caller can observe of a request: its answer and its entry in the request log. */
async function observe({ world, neighbours }: Scene, { call, options }: Request, value: string): Promise<Observed> {
  const reply = await sendCall(neighbours.own, call, options)
  const { body } = await world.get(`/v1/request_logs/${reply.headers['x-request-id']}`)
  const { id: _id, duration_ms: _ms, response_bytes: _bytes, ...entry } = body
  return { answer: normalize(comparable(reply), value), entry: normalize(entry, value), reply, value }
}

/** Replaces the sent value and everything that differs between any two requests. */
function normalize(shown: object, value: string): object {
  const headers = 'headers' in shown ? { ...(shown.headers as object) } : {}
  if ('status' in shown && shown.status === 200) {
    for (const name of ['etag', 'content-length']) delete (headers as Record<string, unknown>)[name]
  }
  const text = JSON.stringify({ ...shown, ...('headers' in shown ? { headers } : {}) })
    .replaceAll(value, '<value>')
    .replaceAll(encodeURIComponent(value), '<value>')
    // A workspace's key is derived from its title, here the id.
    .replaceAll(/(title\\*":\\*"<value>\\*",\\*"key\\*":\\*")[A-Z]+/g, '$1')
    .replaceAll(/\b([a-z]{2,4})_[0-9A-Z]{26}\b/g, '$1')
    .replaceAll(/\b(whsec|prv|atr_live|atr_test|atr_at_live|atr_at_test)_[\w+/=-]+/g, '$1')
    .replaceAll(/([?&]signature=)[\w-]+/g, '$1')
    .replaceAll(/(last4\\*":\\*")\w{4}/g, '$1')
    .replaceAll(/\b[A-Z]{1,6}-\d+\b/g, '<key>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
  return JSON.parse(text)
}

function judge({ trial, neighbours, logged }: Scene, about: string, [one, other]: readonly Observed[]): void {
  if (one === undefined || other === undefined) return
  if (!isDeepStrictEqual(one.answer, other.answer)) {
    trial.violated(`${about}: ${JSON.stringify(one.answer)} is not ${JSON.stringify(other.answer)}`.slice(0, 1500))
  } else if (!isDeepStrictEqual(one.entry, other.entry)) {
    trial.violated(`${about}: the log has ${JSON.stringify(one.entry)} and ${JSON.stringify(other.entry)}`)
  }
  for (const { reply, value } of [one, other]) {
    if (reply.status >= 500) trial.violated(`${about}: ${reply.status}`)
    for (const id of reply.text.match(/\b[a-z]{2,4}_[0-9A-Z]{26}\b/g) ?? []) {
      if (id !== value && neighbours.ids.has(id)) trial.violated(`${about}: shows ${id}`)
    }
  }
  for (const line of logged.splice(0)) trial.violated(`${about}: logged ${line}`)
}

/** An Idempotency-Key that others have used is free here. */
async function trySharedKey(scene: Scene, operation: Operation): Promise<void> {
  const { trial, world, neighbours } = scene
  scene.sharedKeys++
  const idempotencyKey = `borrowed-${operation.id}-${trial.dice.int(0, 2 ** 30)}`
  await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key, idempotencyKey })
  await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.acme.testKey, idempotencyKey })
  const reply = await sendCall(neighbours.own, await neighbours.own.call(operation), { idempotencyKey })
  if (reply.status !== 200 || reply.headers['idempotent-replayed'] !== undefined) {
    trial.violated(`${operation.id} under a key that others used: ${reply.status} ${reply.text.slice(0, 300)}`)
  }
}

const auditHeadOf = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('audit_heads').select('sequence').where('organization', '=', p('organization')),
)

/** Members, teams and their people belong to both realms, and so do their events. */
const eventsOf = query((db, p: Placeholder<{ realm: number; members: string; teams: string }>) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where('realm', '=', p('realm'))
    .where('type', 'not like', p('members'))
    .where('type', 'not like', p('teams')),
)

/** The lengths of the logs of others, without the writes under shared keys and beside the probes. */
async function foreignLogHeads({ world, sharedKeys, writesBeside }: Scene): Promise<number[]> {
  const { globex, acme } = world
  const reader = world.services.store.reader('system')
  const heads = []
  for (const realm of [globex.realms.live, acme.realms.test, globex.realms.test]) {
    const events = await reader.all(eventsOf, { realm, members: 'platform.member.%', teams: 'platform.team%' })
    const expected = realm === globex.realms.live ? sharedKeys + writesBeside : sharedKeys
    heads.push(realm === globex.realms.test ? events.length : events.length - expected)
  }
  const audit = (await reader.first(auditHeadOf, { organization: globex.id }))?.sequence ?? 0
  return [...heads, audit - sharedKeys - writesBeside]
}

/** Times reads of one object by its id. Returns the largest |t|. */
async function timeAll({ trial, neighbours }: Scene): Promise<number> {
  const dice = trial.dice.fork()
  const isLong = trial.cycles >= tenants.cycles.long
  const timed = catalogue.filter(
    ({ id, kind, target, streams }) => kind === 'read' && target !== null && !streams && !id.startsWith('org'),
  )
  let worst = 0
  for (const operation of isLong ? timed : dice.shuffle(timed).slice(0, 3)) {
    const call = await neighbours.own.call(operation)
    const name = Object.keys(call.params).at(-1) as string
    const foreign = neighbours.foreign.get(prefixOf(call.params[name] as string)) ?? []
    if (foreign.length === 0) continue
    const send = (id: string) => sendCall(neighbours.own, { ...call, params: { ...call.params, [name]: id } })
    const one = () => send(dice.pick(foreign).value)
    const other = () => send(dice.pick(foreign).twin)
    for (let i = 0; i < 20; i++) await (i % 2 === 0 ? one() : other())
    const count = isLong ? 20_000 : 300
    let t = await timeDifference({ dice, count, one, other })
    // A difference that does not repeat came from the machine.
    if (Math.abs(t) >= t_max) t = Math.min(Math.abs(t), Math.abs(await timeDifference({ dice, count, one, other })))
    if (Math.abs(t) >= t_max) trial.violated(`${operation.id} takes another time for objects of others: t = ${t}`)
    worst = Math.max(worst, Math.abs(t))
  }
  return worst
}
