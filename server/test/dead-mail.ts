/** Mails and notices of browsers that were given up, as their workers leave them. */
import type { Store } from '../src/db/store.ts'
import type { Clock } from '../src/lib/clock.ts'
import { newId } from '../src/lib/ids.ts'
import type { Organization } from './world.ts'

interface Place {
  readonly services: { readonly store: Pick<Store, 'write'>; readonly clock: Pick<Clock, 'now'> }
}
type Of = Pick<Organization, 'id' | 'realms'>

/** Stores a mail for this person. Returns its id. */
export async function giveUpMail(place: Place, of: Of, user: string, error = '550 no such mailbox'): Promise<string> {
  const { store, clock } = place.services
  const id = newId('mal', clock.now())
  const letter = { kind: 'notice', content: '{"notification":"secret"}', sealed: 0 }
  await store.write({ organization: of.id, realms: [of.realms.live] }, async (tx) =>
    tx.insert('mails', { ...letter, ...deadOf(of, user, clock.now(), error), id, attempts: 7 }),
  )
  return id
}

/** Stores a notice for a browser of this person. Returns its id. */
export async function giveUpNotice(place: Place, of: Of, user: string, error = '403'): Promise<string> {
  const { store, clock } = place.services
  const id = newId('psh', clock.now())
  const notice = { notification: newId('ntf', clock.now()), subscription: 'none' }
  await store.write({ organization: of.id, realms: [of.realms.live] }, async (tx) =>
    tx.insert('pushes', { ...notice, ...deadOf(of, user, clock.now(), error), id, attempts: 5 }),
  )
  return id
}

function deadOf({ id: organization, realms }: Of, user: string, now: number, error: string) {
  return {
    ...{ realm: realms.live, organization, user, status: 'dead', due_at: now, uncertain: 0 },
    ...{ lease_owner: null, lease_until: null, error, created: now, updated: now },
  }
}
