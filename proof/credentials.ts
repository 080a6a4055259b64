/** Credentials in every state that one can be in, for the organization of a world. */
import { type Scope, scopes } from '../server/src/api/scopes.ts'
import { makeCredential } from '../server/src/lib/credential-format.ts'
import { change, revoke } from '../server/test/conformance/stored.ts'
import type { World } from '../server/test/world.ts'
import type { Dice } from './dice.ts'

export type Kind = 'api_key' | 'access_token'

/** A credential that is refused before anything else of a request is looked at. */
export interface Dud {
  readonly what: string
  /** As it is sent; `null`: no header at all. */
  readonly secret: string | null
  readonly code: 'missing_api_key' | 'invalid_api_key' | 'invalid_access_token'
}

function codeOf(kind: Kind): Dud['code'] {
  return kind === 'api_key' ? 'invalid_api_key' : 'invalid_access_token'
}

/** Every kind of credential that stands for nobody, or not any more; each was good once where it could be. */
export async function duds(world: World): Promise<Dud[]> {
  const found: Dud[] = [{ what: 'no credential', secret: null, code: 'missing_api_key' }]
  for (const kind of ['api_key', 'access_token'] as const) {
    for (const mode of ['live', 'test'] as const) {
      const code = codeOf(kind)
      const add = (what: string, secret: string) => found.push({ what: `${what} ${mode} ${kind}`, secret, code })
      const unknown = makeCredential(kind, mode)
      add('an unknown', unknown)
      add('a mistyped', unknown.slice(0, -1) + (unknown.endsWith('A') ? 'B' : 'A'))
      add('a cut', unknown.slice(0, -5))
      const expired = await world.key({ kind, mode, expiresAt: world.clock.now() })
      add('an expired', expired.secret)
      const gone = await world.key({ kind, mode })
      const reply = await world.get('/v1/me', { key: gone.secret })
      if (reply.status !== 200) throw new Error(`a fresh ${kind} is not taken: ${reply.text}`)
      await change(world, revoke, { realm: world.acme.realms[mode], id: gone.id, now: world.clock.now() })
      add('a revoked', gone.secret)
    }
  }
  return [...found, await deleted(world)]
}

/** Revoked the way that users do it, by a request to the same process, while it is believed. */
async function deleted(world: World): Promise<Dud> {
  const { id, secret } = await world.key()
  await world.get('/v1/me', { key: secret })
  const reply = await world.delete(`/v1/api_keys/${id}`)
  if (reply.status !== 200) throw new Error(reply.text)
  return { what: 'a deleted live api_key', secret, code: 'invalid_api_key' }
}

export interface Grant {
  readonly secret: string
  readonly scopes: ReadonlySet<Scope>
  readonly what: string
}

/** Credentials of no scope, of each one alone, of all but one, of all, and of some by chance. */
export async function grants(world: World, dice: Dice): Promise<Grant[]> {
  const sets: [string, readonly Scope[]][] = [
    ['no scope', []],
    ['every scope', scopes],
    ...scopes.map((scope): [string, readonly Scope[]] => [`${scope} alone`, [scope]]),
    ...scopes.map((scope): [string, readonly Scope[]] => [`all but ${scope}`, scopes.filter((s) => s !== scope)]),
    ...Array.from({ length: 10 }, (_, i): [string, readonly Scope[]] => [
      `mixture ${i}`,
      scopes.filter(() => dice.chance(0.5)),
    ]),
  ]
  const made: Grant[] = []
  for (const [what, held] of sets) {
    const kind: Kind = dice.chance(0.5) ? 'api_key' : 'access_token'
    const { secret } = await world.key({ scopes: held, kind })
    made.push({ what: `${kind} of ${what}`, secret, scopes: new Set(held) })
  }
  return made
}
