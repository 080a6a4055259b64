/** Credentials in every state, for the organization of a world. */

import { makeCredential } from '../server/src/api/declare/credential-format.ts'
import { type Scope, scopes } from '../server/src/api/declare/scopes.ts'
import { change, revoke } from '../server/test/conformance/stored.ts'
import type { World } from '../server/test/world.ts'
import type { Dice } from './dice.ts'

/** A credential that is refused before the rest of the request is examined. */
export interface BadCredential {
  readonly what: string
  /** `null`: no header at all. */
  readonly secret: string | null
  readonly code: 'missing_api_key' | 'invalid_api_key' | 'invalid_access_token'
}

/** Missing, unknown, mistyped, expired, revoked and deleted credentials. The last two were accepted before. */
export async function badCredentials(world: World): Promise<BadCredential[]> {
  const found: BadCredential[] = [{ what: 'no credential', secret: null, code: 'missing_api_key' }]
  for (const kind of ['api_key', 'access_token'] as const) {
    for (const mode of ['live', 'test'] as const) {
      const code = kind === 'api_key' ? 'invalid_api_key' : 'invalid_access_token'
      const add = (what: string, secret: string) => found.push({ what: `${what} ${mode} ${kind}`, secret, code })
      const unknown = makeCredential(kind, mode)
      add('an unknown', unknown)
      add('a mistyped', unknown.slice(0, -1) + (unknown.endsWith('A') ? 'B' : 'A'))
      add('a cut', unknown.slice(0, -5))
      const expired = await world.key({ kind, mode, expiresAt: world.clock.now() })
      add('an expired', expired.secret)
      const revoked = await world.key({ kind, mode })
      const reply = await world.get('/v1/me', { key: revoked.secret })
      if (reply.status !== 200) throw new Error(`a new ${kind} is refused: ${reply.text}`)
      await change(world, revoke, { realm: world.acme.realms[mode], id: revoked.id, now: world.clock.now() })
      add('a revoked', revoked.secret)
    }
  }
  return [...found, await deletedKey(world)]
}

/** Deleted by a request to the same process, which has it cached. */
async function deletedKey(world: World): Promise<BadCredential> {
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

/** Credentials with no scope, each scope alone, all but one, all, and random mixtures. */
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
  const granted: Grant[] = []
  for (const [what, held] of sets) {
    const kind = dice.chance(0.5) ? 'api_key' : 'access_token'
    const { secret } = await world.key({ scopes: held, kind })
    granted.push({ what: `${kind} of ${what}`, secret, scopes: new Set(held) })
  }
  return granted
}
