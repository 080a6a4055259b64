/**
 * Canaries through everything: keys, tokens and signing secrets are made, used, shown again by a replay, sent where they do
 * not belong, and revoked; then every answer, log, database file, write-ahead log, backup and export is searched for them, in
 * clear and in the usual encodings. Each may stand in the answers that hand it out, and nowhere else.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { catalogue } from '../../server/src/catalogue.ts'
import { writeBackup } from '../../server/src/db/backup.ts'
import { writeSecret } from '../../server/src/resources/automation_runs/secrets.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import { fanOutWorker } from '../../server/src/workers/fan-out.ts'
import type { CallOptions, Reply } from '../../server/test/call.ts'
import { storedText } from '../../server/test/conformance/stored.ts'
import { test_secret_key } from '../../server/test/secret-key.ts'
import { populate, type Things, urlOf } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { type Canary, filesBelow, sightings } from '../canaries.ts'
import type { Dice } from '../dice.ts'
import { engines } from '../place.ts'
import { row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** After so many a world is searched, and the next begins: an organization has no room for many more keys. */
const flock_max = 150

export const secrets = row({
  name: 'secrets',
  promise:
    'A secret stands in the answer that hands it out and nowhere else: no log, file, backup, export or error has it.',
  cycle: 'a canary: a key, token or signing secret made, used, misplaced, replayed and revoked',
  cycles: { short: 40, long: 3000 },
  unproven: [
    'The memory of a running process, and so a dump of it: what was just sent is there.',
    'A credential that a user writes as the text of a task or a comment: it is kept as what it is, a text.',
  ],
  async run(trial) {
    let canaries = 0
    let searched = 0
    for (const engine of trial.fault === null ? engines : engines.slice(0, 1)) {
      for (let left = Math.ceil(trial.cycles / 2); left > 0; left -= flock_max) {
        const environment = { ATRIUM_LOG_LEVEL: 'debug', ...provider(trial.dice) }
        await inWorld(engine, { environment }, async (world, cluster) => {
          const aviary = await open(trial, world, environment)
          for (let i = 0; i < Math.min(left, flock_max); i++) await fly(aviary, i)
          canaries += aviary.canaries.length
          searched += await searchAll(aviary, cluster)
        })
        trial.say(`${engine}: ${Math.max(0, left - flock_max)} canaries to go`)
      }
    }
    return { cycles: trial.cycles, figures: { canaries, 'bytes searched': searched } }
  },
})

/** A model's provider with a key of its own, which nobody ever asks. */
function provider(dice: Dice): Record<string, string> {
  return {
    ATRIUM_AI_PROVIDER: 'openai_compatible',
    ATRIUM_AI_BASE_URL: 'http://127.0.0.1:9/v1',
    ATRIUM_AI_MODEL: 'none',
    ATRIUM_AI_API_KEY: `sk-${noise(dice)}`,
  }
}

function noise(dice: Dice): string {
  return createHash('sha256').update(String(dice.unit())).digest('hex')
}

interface Aviary {
  readonly trial: Trial
  readonly world: World
  readonly things: Things
  readonly dice: Dice
  readonly canaries: Canary[]
  /** What the process logged. */
  readonly logged: string[]
  /** All answers but those that hand a secret out. */
  readonly answers: string[]
}

async function open(trial: Trial, world: World, environment: Readonly<Record<string, string>>): Promise<Aviary> {
  const logged: string[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    world.services.log[level] = (message, fields) => void logged.push(JSON.stringify([message, fields]))
  }
  const canaries = [
    { what: "the model provider's key", secret: environment.ATRIUM_AI_API_KEY as string },
    { what: "the installation's secret key", secret: test_secret_key },
    {
      what: "the installation's secret key, as bytes",
      secret: Buffer.from(test_secret_key, 'base64').toString('latin1'),
    },
    { what: 'the key of all', secret: world.acme.key },
  ]
  const things = await populate(world)
  return { trial, world, things, dice: trial.dice.fork(), canaries, logged, answers: [] }
}

async function fly(aviary: Aviary, n: number): Promise<void> {
  const kind = aviary.dice.pick(['key', 'key', 'token', 'signing', 'automation'] as const)
  if (kind === 'signing') return await signing(aviary)
  if (kind === 'automation') return await automation(aviary, n)
  const { id, secret } = kind === 'key' ? await handOut(aviary) : await aviary.world.key({ kind: 'access_token' })
  aviary.canaries.push({ what: `${kind} ${id}`, secret })
  await use(aviary, secret)
  for (let i = 0; i < 4; i++) await misplace(aviary, secret)
  if (kind === 'key' && aviary.dice.chance(0.7)) {
    keep(aviary, await aviary.world.delete(`/v1/api_keys/${id}`))
    await use(aviary, secret)
  }
}

function keep({ answers }: Aviary, reply: Reply): void {
  answers.push(JSON.stringify(reply.headers), reply.text)
}

/** A key from the API, and the answer once more under the same Idempotency-Key. */
async function handOut({ world, trial }: Aviary): Promise<{ id: string; secret: string }> {
  const options = { idempotencyKey: randomUUID() }
  const body = { name: 'Canary', scopes: ['api:read', 'tasks:read', 'tasks:write'] }
  const first = await world.post('/v1/api_keys', body, options)
  const again = await world.post('/v1/api_keys', body, options)
  if (first.status !== 200 || again.text !== first.text) trial.violated(`a key is not handed out: ${first.text}`)
  return first.body
}

async function use(aviary: Aviary, key: string): Promise<void> {
  const { world, dice, things } = aviary
  keep(aviary, await world.get('/v1/me', { key }))
  const operation = dice.pick(catalogue.filter(({ kind, streams }) => kind !== 'write' && !streams))
  keep(aviary, await world.get(urlOf(await things.call(operation)), { key }))
  keep(aviary, await world.post('/v1/tasks', { title: 7 }, { key }))
}

/** Sends a secret where none belongs. */
async function misplace(aviary: Aviary, secret: string): Promise<void> {
  const { world, dice, things } = aviary
  const operation = dice.pick(catalogue.filter(({ streams }) => !streams))
  const path = urlOf({ ...(await things.call(operation)), query: {} })
  const send = async (at: string, options: CallOptions) =>
    keep(
      aviary,
      await world.call(operation.method, at, { body: operation.kind === 'write' ? {} : undefined, ...options }),
    )
  const escaped = secret.replaceAll(/[a-m]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  const ways: (() => Promise<void>)[] = [
    () => send(`${path}?key=${secret}`, {}),
    () => send(`${path}?${escaped}=1`, {}),
    () => send(`/v1/tasks/${dice.pick([secret, escaped])}`, {}),
    () => send(path, { headers: { 'user-agent': `probe/1 (${secret})`, referer: secret, 'x-request-id': secret } }),
    () => send(path, { idempotencyKey: secret }),
    () => send(path, { headers: { 'if-match': `"${secret}"`, 'if-none-match': `"${secret}"` } }),
    () => send(path, { headers: { 'service-version': secret } }),
    () => send(path, { headers: { prefer: secret, cookie: `s=${secret}`, 'x-forwarded-for': secret } }),
    () => send(path, { key: `${secret}x` }),
    () =>
      send(path, { key: null, headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` } }),
    () => send(path, { body: { [secret]: 1 } }),
    () => send(path, { raw: `{"${secret}` }),
    () => send('/v1/events/stream?types[]=*', { headers: { 'last-event-id': secret } }),
  ]
  await dice.pick(ways)()
}

/** The secret of a webhook endpoint, and the one after it. */
async function signing(aviary: Aviary): Promise<void> {
  const { world, things, canaries } = aviary
  const body = { url: things.id('receiver'), event_types: ['*'] }
  const made = await world.make('/v1/webhook_endpoints', body)
  const next = await world.make(`/v1/webhook_endpoints/${made.id}/rotate_secret`, {})
  for (const { signing_secret: secret } of [made, next]) {
    canaries.push({ what: `the signing secret of ${made.id}`, secret })
  }
  keep(aviary, await world.get(`/v1/webhook_endpoints/${made.id}`))
  keep(aviary, await world.patch(`/v1/webhook_endpoints/${made.id}`, { event_types: ['workflow.task.*'] }))
  await fanOutWorker.run(world.services, 1, new AbortController().signal)
  keep(aviary, await world.delete(`/v1/webhook_endpoints/${made.id}`))
}

/** A secret that an automation sends. */
async function automation({ world, dice, canaries }: Aviary, n: number): Promise<void> {
  const value = `canary_${noise(dice)}`
  const { id: organization } = world.acme
  await writeSecret(world.services, { organization, mode: 'live', name: `canary_${n % 10}`, value })
  canaries.push({ what: `the secret canary_${n % 10}`, secret: value })
}

/** Everything that is kept or shown. Returns how much it was. */
async function searchAll(aviary: Aviary, cluster: string | null): Promise<number> {
  const { world, trial, canaries, logged, answers } = aviary
  const { services, database } = world
  keep(aviary, await world.post('/v1/exports', { resource: 'tasks' }))
  await exportsWorker.run(services, 1, new AbortController().signal)
  for (const operation of catalogue.filter(({ kind }) => kind === 'list')) {
    const call = await aviary.things.call(operation)
    keep(aviary, await world.get(urlOf({ ...call, query: { ...call.query, limit: '100' } })))
  }
  for (const path of ['/metrics', '/healthz', '/openapi.json']) keep(aviary, await world.get(path))
  await services.credentials.writeUses()
  const about = { created: services.clock.now(), secret_key: services.sealer.digest('backup').slice(0, 16) }
  await writeBackup(services.store, join(database.folder, 'canaries.gz'), about)
  let size = 0
  const search = (text: string, where: string): void => {
    size += text.length
    for (const { canary, form } of sightings(canaries, text, where)) {
      trial.violated(`${services.store.dialect}: ${canary.what} stands in ${where} (${form})`)
    }
  }
  search(answers.join('\n'), 'an answer')
  search(logged.join('\n'), 'the log')
  search(await storedText(world), 'the database')
  for (const folder of cluster === null ? [database.folder] : [database.folder, join(cluster, 'cluster')]) {
    for (const { path, text } of filesBelow(folder)) search(text, path)
  }
  return size
}
