/**
 * One Idempotency-Key and many requests: at once to two processes, with another body, to another path, by another
 * credential, with a process killed between, and at the edges of the day that a key is remembered.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../server/test/call.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { openWorld, type World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { engines, openPlace, type Place } from '../place.ts'
import { row, type Trial } from '../row.ts'

const burst = 50

export const races = row({
  name: 'races',
  promise: 'Of many requests with one Idempotency-Key exactly one takes effect, and every other says so in its code.',
  cycle: `a key: ${burst} requests at once to two processes, then other input under the same key, sometimes with a process killed between`,
  cycles: { short: 8, long: 400 },
  unproven: ['Two processes whose clocks differ: the row "time" tries them.'],
  async run(trial) {
    let effects = 0
    let kills = 0
    for (const engine of engines) {
      await using place = await openPlace(engine)
      const made = await atOnce(trial, place, Math.ceil(trial.cycles / 2))
      effects += made.effects
      kills += made.kills
      await edges(trial, engine)
    }
    return { cycles: trial.cycles, figures: { effects, kills, requests: trial.cycles * burst } }
  },
})

async function atOnce(trial: Trial, place: Place, cycles: number) {
  const servers = await Promise.all([place.serve(), place.serve()])
  let kills = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    const title = `${place.engine} ${trial.seed} ${cycle}`
    const options = { key: place.installation.key, body: { title }, idempotencyKey: `key-${trial.seed}-${cycle}` }
    const killed = trial.dice.chance(0.2) ? trial.dice.int(0, 1) : null
    const sent = Array.from({ length: burst }, (_, i) =>
      call((servers[i % 2] as ServerProcess).url, 'POST', '/v1/workspaces', options).catch(() => null),
    )
    if (killed !== null) {
      kills++
      await servers[killed]?.kill()
      servers[killed] = await place.serve()
    }
    const replies = (await Promise.all(sent)).filter((reply) => reply !== null)
    const url = (servers[trial.dice.int(0, 1)] as ServerProcess).url
    const last = await untilDone(url, options)
    judge(trial, title, [...replies, last], killed !== null)
    await otherInput(trial, place, url, options, last)
    await countEffects(trial, place, url, title)
  }
  return { effects: cycles, kills }
}

interface Sent {
  readonly key: string
  readonly body: { readonly title: string }
  readonly idempotencyKey: string
}

/** How often a client repeats what is under way, or cannot be done at the moment. */
const repeats_max = 60

/** Repeats until there is a final answer; the last one there was, when there is none. */
async function untilDone(url: string, options: Sent): Promise<Reply> {
  for (let repeats = 1; ; repeats++) {
    const reply = await call(url, 'POST', '/v1/workspaces', options)
    if ((reply.status !== 409 && reply.status !== 503) || repeats === repeats_max) return reply
    await sleep(10)
  }
}

/** All that were answered tell of the same workspace, and no more than one did it. */
function judge(trial: Trial, title: string, replies: readonly Reply[], wasKilled: boolean): void {
  const done = replies.filter(({ status }) => status === 200)
  const texts = new Set(done.map(({ text }) => text))
  if (texts.size !== 1) trial.violated(`${title}: ${texts.size} different answers`)
  const first = done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
  // The one that did it may have lost its answer with its process.
  if (first.length > 1 || (first.length === 0 && !wasKilled)) trial.violated(`${title}: ${first.length} took effect`)
  for (const { status, body } of replies) {
    const code = body?.error?.code
    const isRight = status === 200 || code === 'idempotency_in_progress' || (wasKilled && status === 503)
    if (!isRight) trial.violated(`${title}: ${status} ${code}`)
  }
}

/** The same key with another body, on another path, and by another credential. */
async function otherInput(trial: Trial, place: Place, url: string, options: Sent, done: Reply): Promise<void> {
  const { idempotencyKey } = options
  const otherBody = await call(url, 'POST', '/v1/workspaces', { ...options, body: { title: `${options.body.title}!` } })
  const path = `/v1/workspaces/${done.body?.id}`
  const otherPath = await call(url, 'PATCH', path, { ...options, body: { title: 'Other' } })
  for (const reply of [otherBody, otherPath]) {
    if (reply.status !== 409 || reply.body.error.code !== 'idempotency_key_reused') {
      trial.violated(`${options.body.title}: other input under the same key got ${reply.status}`)
    }
  }
  if (!trial.dice.chance(0.1)) return
  const made = await call(url, 'POST', '/v1/api_keys', {
    key: place.installation.key,
    body: { name: 'Other', scopes: ['workspaces:write'] },
  })
  const body = { title: `by another ${options.body.title}` }
  const other = await call(url, 'POST', '/v1/workspaces', { key: made.body.secret, body, idempotencyKey })
  if (other.status !== 200 || other.headers['idempotent-replayed'] !== undefined) {
    trial.violated(`${options.body.title}: another credential got ${other.status}`)
  }
  await call(url, 'DELETE', `/v1/api_keys/${made.body.id}`, { key: place.installation.key })
}

async function countEffects(trial: Trial, place: Place, url: string, title: string): Promise<void> {
  const { body } = await call(url, 'GET', '/v1/workspaces?limit=100', { key: place.installation.key })
  const found = body.data.filter((workspace: { title: string }) => workspace.title === title)
  if (found.length !== 1) trial.violated(`${title}: ${found.length} workspaces`)
}

/** A key is remembered for a day to the second: 23:59:59 later it answers, 24:00:01 later it acts again. */
async function edges(trial: Trial, engine: Place['engine']): Promise<void> {
  const own = await openPlace(engine)
  let world: World | null = null
  try {
    world = await openWorld(engine)
    for (const [wait_ms, replays] of edgesOf(trial.dice)) {
      const idempotencyKey = `edge-${wait_ms}`
      const first = await world.post('/v1/workspaces', { title: 'Edge' }, { idempotencyKey })
      world.clock.advance(wait_ms)
      const again = await world.post('/v1/workspaces', { title: 'Edge' }, { idempotencyKey })
      const isReplay = again.headers['idempotent-replayed'] === 'true' && again.text === first.text
      if (isReplay !== replays)
        trial.violated(`${engine}: after ${wait_ms} ms a key ${isReplay ? 'answered' : 'acted'}`)
    }
  } finally {
    await world?.close()
    await own[Symbol.asyncDispose]()
  }
}

function edgesOf(dice: Dice): [number, boolean][] {
  const day_ms = 86_400_000
  return dice.shuffle<[number, boolean]>([
    [day_ms - 1000, true],
    [day_ms, false],
    [day_ms + 1000, false],
    [dice.int(1, day_ms - 1001), true],
  ])
}
