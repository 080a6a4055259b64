/**
 * What belongs to another organization, or to the other realm, is answered like what never existed: in every place of
 * every request, byte for byte, in the log of requests, and in the time that the answer takes. Each probe sends a
 * stranger's id and its twin, which nobody has, and compares all that can be seen afterwards.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../server/src/api/operation.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import { query } from '../../server/src/db/query.ts'
import type { Reply } from '../../server/test/call.ts'
import { comparable } from '../../server/test/conformance/answers.ts'
import { sendCall } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { type IdPlace, idPlacesOf, type Sending } from '../id-places.ts'
import { engines } from '../place.ts'
import { row, type Trial } from '../row.ts'
import { type Neighbours, prefixOf, type Stranger, settle } from '../strangers.ts'
import { timeApart } from '../welch.ts'
import { inWorld } from '../worlds.ts'

/** Welch's t beyond which two kinds of answer are held to differ. */
const t_max = 4.5

/** An organization has so many keys and endpoints at most, and every write makes itself what it is to change. */
const world_probes_max = 4000

export const tenants = row({
  name: 'tenants',
  promise: 'What others have is answered, logged and timed like what never existed, wherever a request names it.',
  cycle: 'a probe: two requests that differ only in naming what another tenant has and what nobody has',
  cycles: { short: 260, long: 40_000 },
  unproven: [
    'Differences in time below what a client on the same machine can measure over the loopback.',
    'Ids inside the graph of an automation: they are texts there until a run uses them.',
  ],
  async run(trial) {
    let probes = 0
    let worst = 0
    for (const engine of engines) {
      const worlds = Math.ceil(trial.cycles / 2 / world_probes_max)
      for (let n = 1; n <= worlds && !(trial.fault !== null && found(trial)); n++) {
        await inWorld(engine, {}, async (world) => {
          const probing = await open(trial, world)
          probes += await probeAll(probing, Math.ceil(trial.cycles / 2 / worlds))
          if (n === worlds) worst = Math.max(worst, await timeAll(probing))
        })
        trial.say(`${engine}: ${worlds - n} worlds to go`)
      }
    }
    return { cycles: probes, figures: { probes, requests: probes * 2, 'worst |t|': Math.round(worst * 100) / 100 } }
  },
})

const findings = new WeakSet<Trial>()
const found = (trial: Trial): boolean => findings.has(trial)

function report(trial: Trial, text: string): void {
  findings.add(trial)
  trial.violated(text)
}

interface Probing {
  readonly trial: Trial
  readonly world: World
  readonly neighbours: Neighbours
  readonly kinds: readonly string[]
  /** What the process logged. */
  readonly logged: string[]
  /** How often a key was borrowed: others wrote once for each. */
  borrowed: number
}

async function open(trial: Trial, world: World): Promise<Probing> {
  const neighbours = await settle(world)
  const logged: string[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    world.services.log[level] = (message, fields) => void logged.push(JSON.stringify([message, fields]))
  }
  const kinds = [...neighbours.strangers.keys()].filter((kind) => /^[a-z]{2,4}$/.test(kind) && kind !== 'prv')
  return { trial, world, neighbours, kinds, logged, borrowed: 0 }
}

/** Every operation in turn, each time in another place with another stranger. */
async function probeAll(probing: Probing, count: number): Promise<number> {
  const { trial, neighbours, kinds } = probing
  const dice = trial.dice.fork()
  const operations = dice.shuffle(catalogue)
  const heads = await headsOf(probing)
  let done = 0
  for (let i = 0; i < count && !(trial.fault !== null && found(trial)); i++) {
    const operation = operations[i % operations.length] as Operation
    const call = await neighbours.own.call(operation)
    const places = idPlacesOf(operation, call, kinds).filter((place) => strangersAt(probing, place).length > 0)
    if (operation.kind === 'write' && dice.chance(0.1)) await borrowKey(probing, operation)
    if (places.length === 0) continue
    const place = dice.pick(places)
    const stranger = dice.pick(strangersAt(probing, place))
    const more = extrasOf(operation, place, dice)
    const send = (value: string) => {
      const { call: put, options } = place.put(call, value)
      return see(probing, { call: put, options: { ...options, headers: { ...more, ...options.headers } } }, value)
    }
    const [first, second] = dice.chance(0.5) ? [stranger.value, stranger.twin] : [stranger.twin, stranger.value]
    const seen = [await send(first as string), await send(second as string)]
    judge(probing, `${operation.id}, ${place.name} ${JSON.stringify(more)}: ${stranger.what} ${stranger.value}`, seen)
    done++
  }
  const after = await headsOf(probing)
  if (!isDeepStrictEqual(heads, after)) report(trial, `others' logs went on: ${heads} became ${after}`)
  return done
}

function strangersAt({ neighbours }: Probing, place: IdPlace): Stranger[] {
  return place.kinds.flatMap((kind) => neighbours.strangers.get(kind) ?? [])
}

/** Headers that may tell something of a row which should not have been found. */
function extrasOf(operation: Operation, place: IdPlace, dice: Dice): Record<string, string> {
  if (operation.kind !== 'write') return dice.chance(0.3) ? { 'if-none-match': dice.pick(['*', '"1"']) } : {}
  const rehearsed: Record<string, string> = place.isRehearsed || dice.chance(0.3) ? { prefer: 'dry-run' } : {}
  const conditional = operation.method !== 'POST' && place.name.startsWith('path') && dice.chance(0.5)
  return conditional ? { ...rehearsed, 'if-match': dice.pick(['*', '"1"', '"2"', '1']) } : rehearsed
}

interface Seen {
  readonly answer: object
  readonly entry: object
  readonly reply: Reply
  readonly value: string
}

/** All that the caller can see of a request: its answer, and its entry in the log. */
async function see({ world, neighbours }: Probing, { call, options }: Sending, value: string): Promise<Seen> {
  const reply = await sendCall(neighbours.own, call, options)
  const { body } = await world.get(`/v1/request_logs/${reply.headers['x-request-id']}`)
  const { id: _id, duration_ms: _ms, response_bytes: _bytes, ...entry } = body
  return { answer: plain(comparable(reply), value), entry: plain(entry, value), reply, value }
}

/** Without what every request names anew, and with the id that was sent under another name. */
function plain(shown: object, value: string): object {
  const headers = 'headers' in shown ? { ...(shown.headers as object) } : {}
  if ('status' in shown && shown.status === 200) {
    for (const name of ['etag', 'content-length']) delete (headers as Record<string, unknown>)[name]
  }
  const text = JSON.stringify({ ...shown, ...('headers' in shown ? { headers } : {}) })
    .replaceAll(value, '<value>')
    .replaceAll(encodeURIComponent(value), '<value>')
    // A workspace's key is made from its title: here from the id itself.
    .replaceAll(/(title\\*":\\*"<value>\\*",\\*"key\\*":\\*")[A-Z]+/g, '$1')
    .replaceAll(/\b([a-z]{2,4})_[0-9A-Z]{26}\b/g, '$1')
    .replaceAll(/\b(whsec|prv|atr_live|atr_test)_[\w+/=-]+/g, '$1')
    .replaceAll(/(last4\\*":\\*")\w{4}/g, '$1')
    .replaceAll(/\b[A-Z]{1,6}-\d+\b/g, '<key>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>')
  return JSON.parse(text)
}

function judge({ trial, neighbours, logged }: Probing, about: string, [one, other]: readonly Seen[]): void {
  if (one === undefined || other === undefined) return
  if (!isDeepStrictEqual(one.answer, other.answer)) {
    report(trial, `${about}: ${JSON.stringify(one.answer)} is not ${JSON.stringify(other.answer)}`.slice(0, 1500))
  } else if (!isDeepStrictEqual(one.entry, other.entry)) {
    report(trial, `${about}: the log tells ${JSON.stringify(one.entry)} from ${JSON.stringify(other.entry)}`)
  }
  for (const { reply, value } of [one, other]) {
    if (reply.status >= 500) report(trial, `${about}: ${reply.status}`)
    for (const id of reply.text.match(/\b[a-z]{2,4}_[0-9A-Z]{26}\b/g) ?? []) {
      if (id !== value && neighbours.ids.has(id)) report(trial, `${about}: shows ${id}`)
    }
  }
  for (const line of logged.splice(0)) report(trial, `${about}: logged ${line}`)
}

/** An Idempotency-Key that others have used is as good as any. */
async function borrowKey(probing: Probing, operation: Operation): Promise<void> {
  const { trial, world, neighbours } = probing
  probing.borrowed++
  const idempotencyKey = `borrowed-${operation.id}-${trial.dice.int(0, 2 ** 30)}`
  await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.globex.key, idempotencyKey })
  await world.make('/v1/workspaces', { title: 'Theirs' }, { key: world.acme.testKey, idempotencyKey })
  const reply = await sendCall(neighbours.own, await neighbours.own.call(operation), { idempotencyKey })
  if (reply.status !== 200 || reply.headers['idempotent-replayed'] !== undefined) {
    report(trial, `${operation.id} under a key that others used: ${reply.status} ${reply.text.slice(0, 300)}`)
  }
}

const auditHeadOf = query((db, p) =>
  db.selectFrom('audit_heads').select('sequence').where('organization', '=', p('organization')),
)

/** Members are of both realms, and told of in both. */
const eventsOf = query((db, p) =>
  db.selectFrom('events').select('sequence').where('realm', '=', p('realm')).where('type', 'not like', p('shared')),
)

/** How far the logs of others have come without what a borrowed key wrote there. */
async function headsOf({ world, borrowed }: Probing): Promise<number[]> {
  const { globex, acme } = world
  const reader = world.services.store.reader('system')
  const heads = []
  for (const realm of [globex.realms.live, acme.realms.test, globex.realms.test]) {
    const events = await reader.all(eventsOf, { realm, shared: 'platform.member.%' })
    heads.push(realm === globex.realms.test ? events.length : events.length - borrowed)
  }
  const audit = (await reader.first(auditHeadOf, { organization: globex.id }))?.sequence ?? 0
  return [...heads, audit - borrowed]
}

/** Times the reads that find one object by its id. */
async function timeAll(probing: Probing): Promise<number> {
  const { trial, neighbours } = probing
  const dice = trial.dice.fork()
  const isLong = trial.cycles >= tenants.cycles.long
  const timed = catalogue.filter(
    ({ id, kind, target, streams }) => kind === 'read' && target !== null && !streams && !id.startsWith('org'),
  )
  let worst = 0
  for (const operation of isLong ? timed : dice.shuffle(timed).slice(0, 3)) {
    const call = await neighbours.own.call(operation)
    const name = Object.keys(call.params).at(-1) as string
    const strangers = neighbours.strangers.get(prefixOf(call.params[name] as string)) ?? []
    if (strangers.length === 0) continue
    const send = (id: string) => sendCall(neighbours.own, { ...call, params: { ...call.params, [name]: id } })
    const one = () => send(dice.pick(strangers).value)
    const other = () => send(dice.pick(strangers).twin)
    for (let i = 0; i < 20; i++) await (i % 2 === 0 ? one() : other())
    const count = isLong ? 20_000 : 300
    let t = await timeApart({ dice, count, one, other })
    // What does not show again was the machine.
    if (Math.abs(t) >= t_max) t = Math.min(Math.abs(t), Math.abs(await timeApart({ dice, count, one, other })))
    if (Math.abs(t) >= t_max) report(trial, `${operation.id} takes another time for what others have: t = ${t}`)
    worst = Math.max(worst, Math.abs(t))
  }
  return worst
}
