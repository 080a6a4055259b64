/**
 * Who may do what, against the contract's own table: every operation with credentials of every scope alone, of all but
 * one, of none, of mixtures; and with credentials that are missing, malformed, unknown, expired or revoked, or whose
 * organization's plan has lapsed. Refusals come in the contract's order, whatever else is wrong with the request.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../server/src/api/operation.ts'
import type { Scope } from '../../server/src/api/scopes.ts'
import { catalogue } from '../../server/src/catalogue.ts'
import type { Reply } from '../../server/test/call.ts'
import { change, revoke, setPlan } from '../../server/test/conformance/stored.ts'
import { populate, sendCall, type Things, urlOf, type ValidCall } from '../../server/test/things.ts'
import type { World } from '../../server/test/world.ts'
import { type Dud, duds, type Grant, grants } from '../credentials.ts'
import { engines } from '../place.ts'
import { row, type Trial } from '../row.ts'
import { inWorld } from '../worlds.ts'

/** These need, besides their own scope, what their input names. */
const asksForMore: Readonly<Record<string, readonly Scope[]>> = { 'api_keys.create': ['tasks:read'] }

export const scopesRow = row({
  name: 'scopes',
  promise:
    "Every credential may do exactly what the contract's table says, and every other is refused, without effect.",
  cycle: 'a request of an operation with a credential of some scopes, in some state',
  cycles: { short: 2000, long: 30_000 },
  unproven: ['Scopes that a resource asks for by what its body says, but for the keys that a key may make.'],
  async run(trial) {
    let allowed = 0
    let requests = 0
    for (const engine of engines) {
      if (trial.fault !== null && found.has(trial)) break
      await inWorld(engine, {}, async (world) => {
        const desk = await open(trial, world)
        requests += await judgeAll(desk, Math.ceil(trial.cycles / 2))
        allowed += desk.allowed
      })
    }
    return { cycles: requests, figures: { requests, allowed, refused: requests - allowed } }
  },
})

const found = new WeakSet<Trial>()

interface Desk {
  readonly trial: Trial
  readonly world: World
  readonly things: Things
  readonly duds: readonly Dud[]
  readonly grants: readonly Grant[]
  readonly table: ReadonlyMap<string, Scope | null>
  allowed: number
}

async function open(trial: Trial, world: World): Promise<Desk> {
  const things = await populate(world)
  const parts = { duds: await duds(world), grants: await grants(world, trial.dice.fork()) }
  return { trial, world, things, ...parts, table: readTable(), allowed: 0 }
}

interface TableRow {
  readonly method: string
  readonly path: string
  readonly scope: Scope | null
}

/** The contract's table by method and path: what the catalogue says of itself is not asked. */
function readTable(): Map<string, Scope | null> {
  const file = join(import.meta.dirname, '../../server/test/conformance/operations.json')
  const { operations } = JSON.parse(readFileSync(file, 'utf8')) as { operations: TableRow[] }
  return new Map(operations.map(({ method, path, scope }) => [`${method} ${path}`, scope]))
}

/** Takes the operations in turn: with some of the credentials where cycles are few, with all where there are enough. */
async function judgeAll(desk: Desk, count: number): Promise<number> {
  const dice = desk.trial.dice.fork()
  const share = Math.max(4, Math.floor(count / catalogue.length))
  let done = 0
  for (const operation of dice.shuffle(catalogue)) {
    if (done >= count || (desk.trial.fault !== null && found.has(desk.trial))) break
    const call = await desk.things.call(operation)
    await desk.world.markWritten()
    done += await refusals(desk, operation, call, share)
    await desk.world.assertWritten({ events: [], audit: [] }).catch((error: Error) => {
      violate(desk, `${operation.id} had an effect although it was refused: ${error.message}`)
    })
    done += await permission(desk, operation)
  }
  return done
}

function violate({ trial }: Desk, text: string): void {
  found.add(trial)
  trial.violated(text)
}

/** The same call with credentials that must not do it, so nothing of it is used up. */
async function refusals(desk: Desk, operation: Operation, call: ValidCall, share: number): Promise<number> {
  const { trial, world } = desk
  const scope = scopeOf(desk, operation)
  const dice = trial.dice.fork()
  const lacking = desk.grants.filter(({ scopes }) => scope !== null && !scopes.has(scope))
  const telling = lacking.filter(({ what }) => what.endsWith(`all but ${scope}`) || what.includes(sibling(scope)))
  const others = dice.shuffle(lacking.filter((each) => !telling.includes(each)))
  const tried = [...telling, ...others.slice(0, Math.max(1, share - telling.length - 6))]
  const wrongs = dice.shuffle(desk.duds).slice(0, share >= 50 ? undefined : 3)
  for (const { what, secret } of tried) {
    await expect(desk, `${operation.id} by an ${what}`, call, secret, 'insufficient_scope', dice.chance(0.3))
  }
  for (const { what, secret, code } of wrongs) {
    await expect(desk, `${operation.id} by ${what}`, call, secret, code, dice.chance(0.3))
  }
  const late = share >= 50 || dice.chance(0.3) ? await justDeleted(desk, operation, call) : 0
  return tried.length + wrongs.length + late + (await lapsed(desk, operation, call, world))
}

/** A key that was believed a moment ago, and was then deleted by a request. */
async function justDeleted(desk: Desk, operation: Operation, call: ValidCall): Promise<number> {
  const { world, trial } = desk
  const { id, secret } = await world.key()
  const before = await world.get('/v1/me', { key: secret })
  if (before.status !== 200) violate(desk, `a fresh key is not taken: ${told(before)}`)
  const by = trial.dice.chance(0.5) ? secret : world.acme.key
  const reply = await world.delete(`/v1/api_keys/${id}`, { key: by })
  if (reply.status !== 200) violate(desk, `a key is not deleted: ${told(reply)}`)
  await world.markWritten()
  await expect(desk, `${operation.id} by a key just deleted`, call, secret, 'invalid_api_key', false)
  return 1
}

/** `tasks:read` of `tasks:write`, and the other way round: what is most easily mistaken. */
function sibling(scope: Scope | null): string {
  const [noun, verb] = (scope ?? ':').split(':')
  return `${noun}:${verb === 'read' ? 'write' : 'read'} alone`
}

function scopeOf(desk: Desk, { method, path }: Operation): Scope | null {
  const scope = desk.table.get(`${method} ${path}`)
  if (scope === undefined) throw new Error(`the contract's table has no ${method} ${path}`)
  return scope
}

/** A lapsed plan comes behind the credential and before the scope. */
async function lapsed(desk: Desk, operation: Operation, call: ValidCall, world: World): Promise<number> {
  const all = desk.grants.filter(({ scopes }) => scopes.size === 0 || scopes.size === 20)
  const wrong = desk.trial.dice.pick(desk.duds)
  await change(world, setPlan, { organization: world.acme.id, plan: null })
  for (const { what, secret } of all) {
    await expect(desk, `${operation.id} by an ${what}, plan lapsed`, call, secret, 'plan_required', false)
  }
  await expect(desk, `${operation.id} by ${wrong.what}, plan lapsed`, call, wrong.secret, wrong.code, false)
  await change(world, setPlan, { organization: world.acme.id, plan: 'enterprise' })
  return all.length + 1
}

const broken = { raw: '{"broken', headers: { 'service-version': 'never' }, idempotencyKey: null }

/** `isBroken`: all else of the request is wrong as well, which nobody may learn of who may not ask. */
async function expect(
  desk: Desk,
  about: string,
  call: ValidCall,
  secret: string | null,
  code: string,
  isBroken: boolean,
) {
  const spoilt = { ...call, query: { ...call.query, limit: 'x', nonsense: '1' } }
  const reply = await (isBroken && !call.operation.streams
    ? desk.things.send(call.operation.method, urlOf(spoilt), { key: secret, ...broken })
    : sendCall(desk.things, call, { key: secret }))
  if (reply.body?.error?.code !== code) violate(desk, `${about}: ${told(reply)} instead of ${code}`)
  const names = code === 'missing_api_key' || code.startsWith('invalid_')
  if (names !== (reply.headers['www-authenticate'] === 'Bearer')) violate(desk, `${about}: WWW-Authenticate`)
}

function told({ status, body, text }: Reply): string {
  return `${status} ${body?.error?.code ?? text.slice(0, 200)}`
}

/** With the scope alone and with a mixture that holds it the operation is carried out, in the credential's realm only. */
async function permission(desk: Desk, operation: Operation): Promise<number> {
  const { trial, world, things } = desk
  const scope = scopeOf(desk, operation)
  const own: readonly Scope[] = scope === null ? [] : [scope, ...(asksForMore[operation.id] ?? [])]
  const kind = trial.dice.pick(['api_key', 'access_token'] as const)
  const made = await world.key({ scopes: own, kind })
  const { secret } = made
  const reply = await sendCall(things, await things.call(operation, secret), { key: secret })
  desk.allowed++
  if (reply.status !== 200) violate(desk, `${operation.id} by a ${kind} of ${own}: ${told(reply)} instead of 200`)
  await withdraw(world, 'live', made.id)
  if (operation.target === null || operation.id === 'organizations.retrieve') return 1
  const test = await world.key({ scopes: own, kind, mode: 'test' })
  const elsewhere = await sendCall(things, await things.call(operation), { key: test.secret })
  const code = elsewhere.body?.error?.code
  if (code !== 'resource_not_found') {
    violate(desk, `${operation.id} by a test ${kind} on a live object: ${told(elsewhere)}`)
  }
  await withdraw(world, 'test', test.id)
  return 2
}

/** An organization has only so many keys. */
async function withdraw(world: World, mode: 'live' | 'test', id: string): Promise<void> {
  await change(world, revoke, { realm: world.acme.realms[mode], id, now: world.clock.now() })
}
