/**
 * Many requests with one Idempotency-Key: concurrent to two processes, with another body, path or credential, with a process
 * killed meanwhile, and at the edges of the day for which a key is kept. On PostgreSQL also writes of several organizations in
 * one transaction with some that fail.
 */
import { call, type Reply } from '../../server/test/call.ts'
import { type Installation, install } from '../../server/test/durability/installation.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import { callUntilFinal } from '../call-until-final.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { late_plants, late_title } from '../late-failures.ts'
import { planted } from '../plant.ts'
import { type EngineName, engines, row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

const burst = 50
/** Concurrent writes of a batch, and the share of them that fails. */
const batch_writes = 48
const failing_share = 6
const day_ms = 86_400_000

export const races = row({
  name: 'races',
  promise:
    'Of many requests with one Idempotency-Key exactly one takes effect; the code of every other says so. A request that fails changes nothing for those that share its transaction.',
  cycle: `a key: ${burst} concurrent requests to two processes, then other input under the same key, sometimes with a process killed meanwhile; on PostgreSQL also ${batch_writes} writes of three organizations, of which some fail late`,
  cycles: { short: 8, long: 400 },
  unproven: ['Two processes with different clocks; see the row "time".'],
  async run(trial) {
    for (const engine of trial.engines) {
      await using deployment = await openDeployment(engine)
      const cycles = Math.ceil(trial.cycles / engines.length)
      if (engine === 'postgres') await tryBatches(trial, deployment, cycles)
      await tryBursts(trial, deployment, cycles)
      await tryExpiry(trial, engine)
    }
    return { cycles: trial.cycles, figures: { requests: trial.cycles * burst } }
  },
})

/** Writes of three organizations that share batches; those of one of them fail after they have written. */
async function tryBatches(trial: Trial, deployment: Deployment, cycles: number): Promise<void> {
  const { database } = deployment
  const server = await deployment.serve(planted(late_plants))
  const failing = await install(database.url, database.folder)
  const others = [deployment.installation, await install(database.url, database.folder)]
  for (let cycle = 0; cycle < cycles && !trial.isOver; cycle++) {
    const write = async ({ key }: Installation, title: string) => {
      const options = { key, body: { title }, idempotencyKey: title.replaceAll(' ', '-') }
      return { key, title, reply: await call(server.url, 'POST', '/v1/workspaces', options) }
    }
    const wanted = Array.from({ length: batch_writes }, (_, i) => {
      const installation = others[i % others.length] as Installation
      return i % failing_share === 0
        ? () => write(failing, `${late_title} ${trial.seed} ${cycle} ${i}`)
        : () => write(installation, `shared ${trial.seed} ${cycle} ${i}`)
    })
    const written = await Promise.all(trial.dice.shuffle(wanted).map((send) => send()))
    const failed = written.filter(({ key }) => key === failing.key)
    for (const { title, reply } of failed) if (reply.status !== 500) trial.violated(`${title}: ${reply.status}`)
    const done = written.filter(({ key }) => key !== failing.key)
    for (const { title, reply } of done) {
      const isReplay = reply.headers['idempotent-replayed'] !== undefined
      if (reply.status !== 200 || isReplay) trial.violated(`${title}: ${reply.status}${isReplay ? ', a replay' : ''}`)
    }
    for (const { key } of [...others, failing]) {
      const acknowledged = done.filter((each) => each.key === key).map(({ title }) => title)
      await compareWorkspaces(trial, server, { key, cycle, acknowledged })
    }
    trial.count('writes beside failed ones', done.length)
  }
  await server.stop()
}

/** Each acknowledged workspace exists once, and no other one of the cycle. */
async function compareWorkspaces(
  trial: Trial,
  { url }: ServerProcess,
  { key, cycle, acknowledged }: { key: string; cycle: number; acknowledged: readonly string[] },
): Promise<void> {
  const { body } = await call(url, 'GET', '/v1/workspaces?limit=100', { key })
  const titles = body.data.map(({ title }: { title: string }) => title)
  const found = titles.filter((title: string) => title.includes(` ${trial.seed} ${cycle} `))
  const [one, other] = [found.toSorted().join(), acknowledged.toSorted().join()]
  if (one !== other) trial.violated(`acknowledged were ${other}; there are ${one}`)
}

async function tryBursts(trial: Trial, deployment: Deployment, cycles: number): Promise<void> {
  const { installation, engine } = deployment
  const servers = await Promise.all([deployment.serve(), deployment.serve()])
  for (let cycle = 0; cycle < cycles; cycle++) {
    const title = `${engine} ${trial.seed} ${cycle}`
    const options = { key: installation.key, body: { title }, idempotencyKey: `key-${trial.seed}-${cycle}` }
    const killed = trial.dice.chance(0.2) ? trial.dice.int(0, 1) : null
    const sent = Array.from({ length: burst }, (_, i) =>
      call((servers[i % 2] as ServerProcess).url, 'POST', '/v1/workspaces', options).catch(() => null),
    )
    if (killed !== null) {
      trial.count('kills')
      await servers[killed]?.kill()
      servers[killed] = await deployment.serve()
    }
    const replies = (await Promise.all(sent)).filter((reply) => reply !== null)
    const url = (servers[trial.dice.int(0, 1)] as ServerProcess).url
    const last = await callUntilFinal(() => call(url, 'POST', '/v1/workspaces', options))
    judgeReplies(trial, title, [...replies, last], killed !== null)
    await tryOtherInput(trial, url, options, last)
    await countEffects(trial, url, options)
    trial.count('effects')
  }
}

interface Request {
  readonly key: string
  readonly body: { readonly title: string }
  readonly idempotencyKey: string
}

/** All successful answers are equal, and at most one of them is not a replay. */
function judgeReplies(trial: Trial, title: string, replies: readonly Reply[], wasKilled: boolean): void {
  const done = replies.filter(({ status }) => status === 200)
  const texts = new Set(done.map(({ text }) => text))
  if (texts.size !== 1) trial.violated(`${title}: ${texts.size} different answers`)
  const first = done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)
  // The answer to the first may be lost with its process.
  if (first.length > 1 || (first.length === 0 && !wasKilled)) trial.violated(`${title}: ${first.length} took effect`)
  for (const { status, body } of replies) {
    const code = body?.error?.code
    const isRight = status === 200 || code === 'idempotency_in_progress' || (wasKilled && status === 503)
    if (!isRight) trial.violated(`${title}: ${status} ${code}`)
  }
}

/** Refuses the same key with another body or path; another credential has its own keys. */
async function tryOtherInput(trial: Trial, url: string, options: Request, done: Reply): Promise<void> {
  const { key, idempotencyKey } = options
  const { title } = options.body
  const otherBody = await call(url, 'POST', '/v1/workspaces', { ...options, body: { title: `${title}!` } })
  const path = `/v1/workspaces/${done.body?.id}`
  const otherPath = await call(url, 'PATCH', path, { ...options, body: { title: 'Other' } })
  for (const reply of [otherBody, otherPath]) {
    if (reply.status !== 409 || reply.body.error.code !== 'idempotency_key_reused') {
      trial.violated(`${title}: other input under the same key got ${reply.status}`)
    }
  }
  if (!trial.dice.chance(0.1)) return
  const { body } = await call(url, 'POST', '/v1/api_keys', {
    key,
    body: { name: 'Other', scopes: ['workspaces:write'] },
  })
  const other = await call(url, 'POST', '/v1/workspaces', {
    ...{ key: body.secret, idempotencyKey, body: { title: `by another ${title}` } },
  })
  if (other.status !== 200 || other.headers['idempotent-replayed'] !== undefined) {
    trial.violated(`${title}: another credential got ${other.status}`)
  }
  await call(url, 'DELETE', `/v1/api_keys/${body.id}`, { key })
}

async function countEffects(trial: Trial, url: string, { key, body: { title } }: Request): Promise<void> {
  const { body } = await call(url, 'GET', '/v1/workspaces?limit=100', { key })
  const found = body.data.filter((workspace: { title: string }) => workspace.title === title)
  if (found.length !== 1) trial.violated(`${title}: ${found.length} workspaces`)
}

/** A key is kept for exactly one day: until then it replays, from then on it acts again. */
async function tryExpiry(trial: Trial, engine: EngineName): Promise<void> {
  await inWorld(engine, {}, async (world) => {
    for (const [wait_ms, isKept] of waits(trial.dice)) {
      const idempotencyKey = `edge-${wait_ms}`
      const first = await world.post('/v1/workspaces', { title: 'Edge' }, { idempotencyKey })
      world.clock.advance(wait_ms)
      const again = await world.post('/v1/workspaces', { title: 'Edge' }, { idempotencyKey })
      const isReplay = again.headers['idempotent-replayed'] === 'true' && again.text === first.text
      if (isReplay !== isKept) {
        trial.violated(`${engine}: after ${wait_ms} ms a key ${isReplay ? 'replayed its answer' : 'acted again'}`)
      }
    }
  })
}

function waits(dice: Dice): [wait_ms: number, isKept: boolean][] {
  return dice.shuffle<[number, boolean]>([
    [day_ms - 1000, true],
    [day_ms, false],
    [day_ms + 1000, false],
    [dice.int(1, day_ms - 1001), true],
  ])
}
