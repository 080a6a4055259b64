/**
 * Permissions against the contract's own table: every operation with credentials of each single scope, of all but one, of none
 * and of mixtures; with missing, malformed, unknown, expired and revoked credentials; and after the plan lapsed. Refusals come
 * in the contract's order, whatever else is wrong with the request.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../server/src/api/declare/operation.ts'
import type { Scope } from '../../server/src/api/declare/scopes.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import type { Reply } from '../../server/test/call.ts'
import { change, revoke, setPlan } from '../../server/test/conformance/stored.ts'
import { populate, sendCall, type Things, urlOf, type ValidCall } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { type BadCredential, badCredentials, type Grant, grants } from '../credentials.ts'
import { engines, row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** Scopes needed besides the operation's own, because the input names them or the flow of the run has them. */
const further_scopes: Readonly<Record<string, readonly Scope[]>> = {
  'automation_runs.ai_calls': ['tasks:read'],
  'automation_runs.steps': ['tasks:read'],
  'automation_runs.rerun': ['tasks:read', 'comments:write'],
  'api_keys.create': ['tasks:read'],
  'api_keys.roll': ['api:read'],
}

export const scopesRow = row({
  name: 'scopes',
  promise: "A credential may do exactly what the contract's table says; everything else is refused without effect.",
  cycle: 'a request for an operation with a credential of some scopes in some state',
  cycles: { short: 2000, long: 30_000 },
  unproven: ['Scopes required because of the content of a body, except when a key creates keys.'],
  async run(trial) {
    let allowed = 0
    let requests = 0
    for (const engine of engines) {
      if (trial.isOver) break
      await inWorld(engine, {}, async (world) => {
        const scene = await openScene(trial, world)
        requests += await tryAll(scene, Math.ceil(trial.cycles / 2))
        allowed += scene.allowed
      })
    }
    return { cycles: requests, figures: { requests, allowed, refused: requests - allowed } }
  },
})

interface Scene {
  readonly trial: Trial
  readonly world: World
  readonly things: Things
  readonly bad: readonly BadCredential[]
  readonly grants: readonly Grant[]
  readonly table: ReadonlyMap<string, Scope | null>
  allowed: number
}

async function openScene(trial: Trial, world: World): Promise<Scene> {
  const things = await populate(world)
  const parts = { bad: await badCredentials(world), grants: await grants(world, trial.dice.fork()) }
  return { trial, world, things, ...parts, table: readTable(), allowed: 0 }
}

interface TableRow {
  readonly method: string
  readonly path: string
  readonly scope: Scope | null
}

const contract = join(import.meta.dirname, '../../docs/contract')

/** The contract's table by method and path, independent of the catalogue, and the rows of extensions from its pages. */
function readTable(): Map<string, Scope | null> {
  const file = readFileSync(join(contract, 'operations.json'), 'utf8')
  const { operations } = JSON.parse(file) as { operations: TableRow[] }
  const page = readFileSync(join(contract, '14-resources.md'), 'utf8')
  const rows = page.matchAll(/^\| `([A-Z]+ \/\S+)` \| \d+ \| `([a-z:_]+)` \| (?:\[extension\]|extension)/gm)
  const extensions = [...rows].map(([, operation, scope]) => [operation as string, scope as Scope] as const)
  return new Map([...extensions, ...operations.map(({ method, path, scope }) => [`${method} ${path}`, scope] as const)])
}

/** Tries each operation with a sample of the credentials, or with all if `count` allows. Returns the number of requests. */
async function tryAll(scene: Scene, count: number): Promise<number> {
  const dice = scene.trial.dice.fork()
  const share = Math.max(4, Math.floor(count / catalogue.length))
  let done = 0
  for (const operation of dice.shuffle(catalogue)) {
    if (done >= count || scene.trial.isOver) break
    const call = await scene.things.call(operation)
    await scene.world.markWritten()
    done += await tryRefusals(scene, operation, call, share)
    await scene.world.assertWritten({ events: [], audit: [] }).catch((error: Error) => {
      scene.trial.violated(`${operation.id} had an effect although it was refused: ${error.message}`)
    })
    done += await tryPermitted(scene, operation)
  }
  return done
}

/** Sends one call with credentials that must not do it. It has no effect, so it can be repeated. */
async function tryRefusals(scene: Scene, operation: Operation, call: ValidCall, share: number): Promise<number> {
  const { trial, world } = scene
  const scope = scopeOf(scene, operation)
  const dice = trial.dice.fork()
  const lacking = scene.grants.filter(({ scopes }) => scope !== null && !scopes.has(scope))
  const nearest = lacking.filter(({ what }) => what.endsWith(`all but ${scope}`) || what.includes(sibling(scope)))
  const others = dice.shuffle(lacking.filter((each) => !nearest.includes(each)))
  const tried = [...nearest, ...others.slice(0, Math.max(1, share - nearest.length - 6))]
  const bad = dice.shuffle(scene.bad).slice(0, share >= 50 ? undefined : 3)
  for (const { what, secret } of tried) {
    const refused = { call, secret, code: 'insufficient_scope', isBroken: dice.chance(0.3) }
    await expectRefusal(scene, `${operation.id} by an ${what}`, refused)
  }
  for (const { what, secret, code } of bad) {
    await expectRefusal(scene, `${operation.id} by ${what}`, { call, secret, code, isBroken: dice.chance(0.3) })
  }
  const deleted = share >= 50 || dice.chance(0.3) ? await tryJustDeleted(scene, operation, call) : 0
  return tried.length + bad.length + deleted + (await tryLapsedPlan(scene, operation, call, world))
}

/** A key that was accepted and then deleted by a request. */
async function tryJustDeleted(scene: Scene, operation: Operation, call: ValidCall): Promise<number> {
  const { world, trial } = scene
  const { id, secret } = await world.key()
  const before = await world.get('/v1/me', { key: secret })
  if (before.status !== 200) trial.violated(`a new key is refused: ${describe(before)}`)
  const key = trial.dice.chance(0.5) ? secret : world.acme.key
  const reply = await world.delete(`/v1/api_keys/${id}`, { key })
  if (reply.status !== 200) trial.violated(`a key is not deleted: ${describe(reply)}`)
  await world.markWritten()
  const refused = { call, secret, code: 'invalid_api_key', isBroken: false }
  await expectRefusal(scene, `${operation.id} by a key just deleted`, refused)
  return 1
}

/** `tasks:read` for `tasks:write` and the reverse, which are most easily confused. */
function sibling(scope: Scope | null): string {
  const [noun, verb] = (scope ?? ':').split(':')
  return `${noun}:${verb === 'read' ? 'write' : 'read'} alone`
}

function scopeOf(scene: Scene, { method, path }: Operation): Scope | null {
  const scope = scene.table.get(`${method} ${path}`)
  if (scope === undefined) throw new Error(`the contract's table has no ${method} ${path}`)
  return scope
}

/** A lapsed plan is refused after a bad credential and before a missing scope. */
async function tryLapsedPlan(scene: Scene, operation: Operation, call: ValidCall, world: World): Promise<number> {
  const all = scene.grants.filter(({ scopes }) => scopes.size === 0 || scopes.size === 20)
  const bad = scene.trial.dice.pick(scene.bad)
  await change(world, setPlan, { organization: world.acme.id, plan: null })
  for (const { what, secret } of all) {
    const refused = { call, secret, code: 'plan_required', isBroken: false }
    await expectRefusal(scene, `${operation.id} by an ${what}, plan lapsed`, refused)
  }
  await expectRefusal(scene, `${operation.id} by ${bad.what}, plan lapsed`, { ...bad, call, isBroken: false })
  await change(world, setPlan, { organization: world.acme.id, plan: 'enterprise' })
  return all.length + 1
}

const broken = { raw: '{"broken', headers: { 'service-version': 'never' }, idempotencyKey: null }

interface Refused {
  readonly call: ValidCall
  readonly secret: string | null
  readonly code: string
  /** The rest of the request is invalid too, which an unauthorized caller must not learn. */
  readonly isBroken: boolean
}

async function expectRefusal(scene: Scene, about: string, { call, secret, code, isBroken }: Refused): Promise<void> {
  const { trial, things } = scene
  const invalid = { ...call, query: { ...call.query, limit: 'x', nonsense: '1' } }
  const reply = await (isBroken && !call.operation.streams
    ? things.send(call.operation.method, urlOf(invalid), { key: secret, ...broken })
    : sendCall(things, call, { key: secret }))
  if (reply.body?.error?.code !== code) trial.violated(`${about}: ${describe(reply)} instead of ${code}`)
  const hasChallenge = code === 'missing_api_key' || code.startsWith('invalid_')
  if (hasChallenge !== (reply.headers['www-authenticate'] === 'Bearer')) trial.violated(`${about}: WWW-Authenticate`)
}

function describe({ status, body, text }: Reply): string {
  return `${status} ${body?.error?.code ?? text.slice(0, 200)}`
}

/** A credential with exactly the needed scopes succeeds, in its own realm only. */
async function tryPermitted(scene: Scene, operation: Operation): Promise<number> {
  const { trial, world, things } = scene
  const scope = scopeOf(scene, operation)
  const own: readonly Scope[] = scope === null ? [] : [scope, ...(further_scopes[operation.id] ?? [])]
  const kind = trial.dice.pick(['api_key', 'access_token'] as const)
  const { id, secret } = await world.key({ scopes: own, kind })
  const reply = await sendCall(things, await things.call(operation, secret), { key: secret })
  scene.allowed++
  if (reply.status !== 200) trial.violated(`${operation.id} by a ${kind} of ${own}: ${describe(reply)} instead of 200`)
  await revokeKey(world, 'live', id)
  // What both realms share is there for a test credential, too.
  if (operation.target === null || operation.inBothRealms || operation.id === 'organizations.retrieve') return 1
  const test = await world.key({ scopes: own, kind, mode: 'test' })
  const elsewhere = await sendCall(things, await things.call(operation), { key: test.secret })
  const code = elsewhere.body?.error?.code
  if (code !== 'resource_not_found') {
    trial.violated(`${operation.id} by a test ${kind} on a live object: ${describe(elsewhere)}`)
  }
  await revokeKey(world, 'test', test.id)
  return 2
}

/** Keeps within the limit of keys per organization. */
async function revokeKey(world: World, mode: 'live' | 'test', id: string): Promise<void> {
  await change(world, revoke, { realm: world.acme.realms[mode], id, now: world.clock.now() })
}
