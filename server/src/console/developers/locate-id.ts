import { refuse } from '../../api/declare/errors.ts'
import type { RealmMode } from '../../api/write/record.ts'
import type { Store } from '../../db/store.ts'
import { endpoint } from '../endpoint.ts'
import { findRealms, listMemberships } from '../sessions/queries.ts'
import { isAtLeast } from '../sessions/session.ts'
import type { IdLocation, Role } from '../shapes.ts'
import { type IdRoute, routeOfPrefix } from './resolve-id.ts'

interface Membership {
  readonly organization: string
  readonly name: string
  readonly role: string
}

/**
 * Finds which other organization of the account has an ID, for a link that was followed in the wrong organization. IDs of
 * organizations that the account does not belong to, and of objects that the account's role there may not open, answer
 * 404, as unknown IDs do. Task keys are not looked up, because several organizations may have the same one.
 */
export const locateId = endpoint('GET open/{id}/organization', {
  needs: 'session',
  guests: true,
  async handle({ services, session, params }) {
    const id = params.id ?? ''
    const route = routeOfPrefix(id)
    const memberships =
      route === undefined
        ? []
        : await services.store.reader('system').all(listMemberships, { account: session.account })
    for (const membership of memberships) {
      if (route === undefined || membership.organization === session.organization || !mayOpen(route, membership))
        continue
      const location = await locateIn(services.store, route, membership, id)
      if (location !== undefined) return location
    }
    throw refuse('resource_not_found', { param: 'id' })
  },
})

function mayOpen(route: IdRoute, { role }: Membership): boolean {
  // A guest of another organization sees only some of its objects, and this look-up does not know which.
  if (role === 'guest') return false
  return route.role === undefined || isAtLeast(role as Role, route.role)
}

async function locateIn(
  store: Store,
  route: IdRoute,
  { organization, name }: Membership,
  id: string,
): Promise<IdLocation | undefined> {
  const realms = (await store.reader('system').all(findRealms, { organization })) as readonly RealmMode[]
  for (const { realm, mode } of realms) {
    const reader = store.reader({ organization, realms: [realm] })
    if ((await route.noun.find(reader, { organization, realm }, id)) === undefined) continue
    return { organization: { id: organization, name }, mode }
  }
  return undefined
}
