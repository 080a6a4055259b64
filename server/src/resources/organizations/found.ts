/**
 * Creates an organization with its two realms, audit chain, service user and owner (contract/07#organization-setup). The
 * owner of the first organization is the first operator of the installation.
 */

import { sql } from 'kysely'
import Type from 'typebox'
import type { Plan } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import { checkShape } from '../../api/request/validate.ts'
import type { Services } from '../../api/services.ts'
import { rawQuery } from '../../db/query.ts'
import { nextLiveRealm, testRealmOf } from '../../db/realms/numbers.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { Email } from '../members/member.ts'
import { Organization } from './organization.ts'

export interface Founding {
  readonly name: string
  readonly ownerEmail: string
  /** The owner's name; it can be given later. */
  readonly owner?: { readonly first_name: string | null; readonly last_name: string | null }
  readonly plan: Plan
  readonly domains: readonly string[]
}

export interface Founded {
  readonly organization: string
  /** The owner's user id. */
  readonly user: string
  readonly realms: { readonly live: number; readonly test: number }
}

const Given = Type.Object({
  name: Organization.properties.name,
  ownerEmail: Email,
  plan: Organization.properties.plan,
  domains: Type.Array(Type.String({ minLength: 1, maxLength: limits.domain_chars_max }), {
    maxItems: limits.domains_max,
    uniqueItems: true,
  }),
})

const lastRealm = rawQuery(
  () => sql<{ last: number }>`select coalesce(max(realm), 0) as last from realms
  where mode = 'live' or realm < 4294967296`,
)
/** Organizations that are created concurrently must not take the same numbers. */
const lockRealms = rawQuery((_p, dialect) =>
  dialect === 'postgres' ? sql`lock table realms in exclusive mode` : sql`select 1`,
)

const anyOrganization = rawQuery(() => sql<{ organization: string }>`select organization from organizations limit 1`)

/** Creates the organization with its realms, audit chain, service user and owner in one transaction. */
export async function foundOrganization(
  services: Pick<Services, 'store' | 'clock'>,
  founding: Founding,
): Promise<Founded> {
  return await foundWith(services, founding, async (_tx, founded) => founded)
}

/** The same, with further writes of `also` in the transaction; `also` may throw to refuse. */
export async function foundWith<T>(
  services: Pick<Services, 'store' | 'clock'>,
  founding: Founding,
  also: (tx: Tx, founded: Founded, now: number) => Promise<T>,
): Promise<T> {
  checkShape(Given, founding)
  const now = services.clock.now()
  return await services.store.write('system', async (tx) => {
    if (tx.dialect === 'postgres') await tx.run(lockRealms)
    return await also(tx, await insertOrganization(tx, founding, now), now)
  })
}

/** The same if no organization exists, otherwise null. Of several processes that start together, one creates it. */
export async function foundFirstWith<T>(
  services: Pick<Services, 'store' | 'clock'>,
  founding: Founding,
  also: (tx: Tx, founded: Founded, now: number) => Promise<T>,
): Promise<T | null> {
  checkShape(Given, founding)
  const now = services.clock.now()
  return await services.store.write('system', async (tx) => {
    if (tx.dialect === 'postgres') await tx.run(lockRealms)
    if ((await tx.first(anyOrganization)) !== undefined) return null
    return await also(tx, await insertOrganization(tx, founding, now), now)
  })
}

/** Whether this installation has an organization. */
export async function hasOrganization({ store }: Pick<Services, 'store'>): Promise<boolean> {
  return (await store.reader('system').first(anyOrganization)) !== undefined
}

async function insertOrganization(tx: Tx, founding: Founding, now: number): Promise<Founded> {
  const organization = newId('org', now)
  const user = newId('usr', now)
  const head = { organization, created: now, updated: now }
  const isFirst = (await tx.first(anyOrganization)) === undefined
  const live = nextLiveRealm((await tx.first(lastRealm))?.last ?? 0)
  const test = testRealmOf(live)
  tx.insert('organizations', {
    ...head,
    name: founding.name,
    plan: founding.plan,
    domains: JSON.stringify(founding.domains.map((domain) => ({ domain, state: 'verified' }))),
    service_user: newId('usr', now),
    second_factor_required: 0,
  })
  tx.insert('audit_heads', { home: live, organization, sequence: 0, previous_hash: '', hash: '' })
  tx.insert('realms', { realm: live, organization, mode: 'live' })
  tx.insert('realms', { realm: test, organization, mode: 'test' })
  tx.insert('event_heads', { realm: live, sequence: 0 })
  tx.insert('event_heads', { realm: test, sequence: 0 })
  tx.insert('members', {
    ...head,
    id: newId('mbr', now),
    user,
    email: founding.ownerEmail,
    first_name: founding.owner?.first_name ?? null,
    last_name: founding.owner?.last_name ?? null,
    profile_picture_url: null,
    role: 'owner',
    status: 'active',
  })
  if (isFirst) tx.insert('operators', { organization, user, created: now })
  return { organization, user, realms: { live, test } }
}
