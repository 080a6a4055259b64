/**
 * Canary secrets: keys, tokens and signing secrets are created, used, replayed, sent where they do not belong, and revoked.
 * Then every answer, log, database file, write-ahead log, backup and export is searched for them, in clear and in common
 * encodings. A secret may appear only in the answer that issues it.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { catalogue } from '../../server/src/catalogue.ts'
import { writeBackup } from '../../server/src/db/backup/backup.ts'
import { writeSecret } from '../../server/src/resources/automation_runs/secrets.ts'
import { fanOutWorker } from '../../server/src/workers/deliveries/fan-out.ts'
import { exportsWorker } from '../../server/src/workers/exports.ts'
import type { CallOptions, Reply } from '../../server/test/call.ts'
import { storedText } from '../../server/test/conformance/stored.ts'
import { test_secret_key } from '../../server/test/environment.ts'
import { populate, type Things, urlOf } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { type Canary, filesBelow, sightings } from '../canaries.ts'
import type { Dice } from '../dice.ts'
import { row, type Trial } from '../row.ts'
import { captureLog, inWorld } from '../worlds.ts'

/** Canaries per world, which is then searched. The limit of keys per organization allows hardly more. */
const world_canaries_max = 150

export const secrets = row({
  name: 'secrets',
  promise: 'A secret appears in the answer that issues it and nowhere else: in no log, file, backup, export or error.',
  cycle: 'a canary: a key, token or signing secret that is created, used, misplaced, replayed and revoked',
  cycles: { short: 40, long: 3000 },
  unproven: [
    'The memory of a running process, and so a dump of it.',
    'A credential that a user writes into a task or a comment: it is stored as text.',
  ],
  async run(trial) {
    let canaries = 0
    let searched = 0
    for (const engine of trial.engines) {
      for (let left = Math.ceil(trial.cycles / 2); left > 0; left -= world_canaries_max) {
        const environment = { ATRIUM_LOG_LEVEL: 'debug', ...aiProvider(trial.dice) }
        await inWorld(engine, { environment }, async (world, cluster) => {
          const scene = await openScene(trial, world, environment)
          for (let i = 0; i < Math.min(left, world_canaries_max); i++) await tryCanary(scene, i)
          canaries += scene.canaries.length
          searched += await searchAll(scene, cluster)
        })
        trial.say(`${engine}: ${Math.max(0, left - world_canaries_max)} canaries to go`)
      }
    }
    return { cycles: trial.cycles, figures: { canaries, 'bytes searched': searched } }
  },
})

/** An AI provider with a key, which is never called. */
function aiProvider(dice: Dice): Record<string, string> {
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

interface Scene {
  readonly trial: Trial
  readonly world: World
  readonly things: Things
  readonly dice: Dice
  readonly canaries: Canary[]
  /** What the process logged. */
  readonly logged: string[]
  /** All answers except those that issue a secret. */
  readonly answers: string[]
}

async function openScene(trial: Trial, world: World, environment: Readonly<Record<string, string>>): Promise<Scene> {
  const logged = captureLog(world)
  const canaries = [
    { what: "the model provider's key", secret: environment.ATRIUM_AI_API_KEY as string },
    { what: "the installation's secret key", secret: test_secret_key },
    {
      what: "the installation's secret key, as bytes",
      secret: Buffer.from(test_secret_key, 'base64').toString('latin1'),
    },
    { what: "the world's key", secret: world.acme.key },
  ]
  const things = await populate(world)
  return { trial, world, things, dice: trial.dice.fork(), canaries, logged, answers: [] }
}

async function tryCanary(scene: Scene, n: number): Promise<void> {
  const kind = scene.dice.pick(['key', 'key', 'token', 'signing', 'automation'] as const)
  if (kind === 'signing') return await trySigningSecret(scene)
  if (kind === 'automation') return await storeAutomationSecret(scene, n)
  const { id, secret } = kind === 'key' ? await createKey(scene) : await scene.world.key({ kind: 'access_token' })
  scene.canaries.push({ what: `${kind} ${id}`, secret })
  await use(scene, secret)
  for (let i = 0; i < 4; i++) await misplace(scene, secret)
  if (kind === 'key' && scene.dice.chance(0.7)) {
    keep(scene, await scene.world.delete(`/v1/api_keys/${id}`))
    await use(scene, secret)
  }
}

function keep({ answers }: Scene, reply: Reply): void {
  answers.push(JSON.stringify(reply.headers), reply.text)
}

/** Creates a key and replays the answer under the same Idempotency-Key. */
async function createKey({ world, trial }: Scene): Promise<{ id: string; secret: string }> {
  const options = { idempotencyKey: randomUUID() }
  const body = { name: 'Canary', scopes: ['api:read', 'tasks:read', 'tasks:write'] }
  const first = await world.post('/v1/api_keys', body, options)
  const again = await world.post('/v1/api_keys', body, options)
  if (first.status !== 200 || again.text !== first.text) trial.violated(`a key is not created: ${first.text}`)
  return first.body
}

async function use(scene: Scene, key: string): Promise<void> {
  const { world, dice, things } = scene
  keep(scene, await world.get('/v1/me', { key }))
  const operation = dice.pick(catalogue.filter(({ kind, streams }) => kind !== 'write' && !streams))
  keep(scene, await world.get(urlOf(await things.call(operation)), { key }))
  keep(scene, await world.post('/v1/tasks', { title: 7 }, { key }))
}

/** Sends a secret where none belongs. */
async function misplace(scene: Scene, secret: string): Promise<void> {
  const { world, dice, things } = scene
  const operation = dice.pick(catalogue.filter(({ streams }) => !streams))
  const path = urlOf({ ...(await things.call(operation)), query: {} })
  const body = operation.kind === 'write' ? {} : undefined
  const send = async (to: string, options: CallOptions) =>
    keep(scene, await world.call(operation.method, to, { body, ...options }))
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

/** The secret of a webhook endpoint, and its successor after a rotation. */
async function trySigningSecret(scene: Scene): Promise<void> {
  const { world, things, canaries } = scene
  const body = { url: things.id('receiver'), event_types: ['*'] }
  const made = await world.make('/v1/webhook_endpoints', body)
  const next = await world.make(`/v1/webhook_endpoints/${made.id}/rotate_secret`, {})
  for (const { signing_secret: secret } of [made, next]) {
    canaries.push({ what: `the signing secret of ${made.id}`, secret })
  }
  keep(scene, await world.get(`/v1/webhook_endpoints/${made.id}`))
  keep(scene, await world.patch(`/v1/webhook_endpoints/${made.id}`, { event_types: ['workflow.task.*'] }))
  await fanOutWorker.run(world.services, 1, new AbortController().signal)
  keep(scene, await world.delete(`/v1/webhook_endpoints/${made.id}`))
}

/** A secret that automations may send. */
async function storeAutomationSecret({ world, dice, canaries }: Scene, n: number): Promise<void> {
  const value = `canary_${noise(dice)}`
  const { id: organization } = world.acme
  await writeSecret(world.services, { organization, mode: 'live', name: `canary_${n % 10}`, value })
  canaries.push({ what: `the secret canary_${n % 10}`, secret: value })
}

/** Searches everything stored or shown. Returns its size. */
async function searchAll(scene: Scene, cluster: string | null): Promise<number> {
  const { world, trial, canaries, logged, answers } = scene
  const { services, database } = world
  keep(scene, await world.post('/v1/exports', { resource: 'tasks' }))
  await exportsWorker.run(services, 1, new AbortController().signal)
  for (const operation of catalogue.filter(({ kind }) => kind === 'list')) {
    const call = await scene.things.call(operation)
    keep(scene, await world.get(urlOf({ ...call, query: { ...call.query, limit: '100' } })))
  }
  for (const path of ['/metrics', '/healthz', '/openapi.json']) keep(scene, await world.get(path))
  await services.credentials.writeUses()
  const about = { created: services.clock.now(), secret_key: services.sealer.fingerprint }
  await writeBackup(services.store, join(database.folder, 'canaries.gz'), about)
  let size = 0
  const search = (text: string, where: string): void => {
    size += text.length
    for (const { canary, form } of sightings(canaries, text, where)) {
      trial.violated(`${services.store.dialect}: ${where} contains ${canary.what} (${form})`)
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
