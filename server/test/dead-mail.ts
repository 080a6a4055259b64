/** Mails that were given up, as the worker leaves them. */
import { newId } from '../src/lib/ids.ts'
import type { Organization, World } from './world.ts'

/** Stores one for this person. Returns its id. */
export async function giveUpMail(
  { services }: Pick<World, 'services'>,
  { id: organization, realms }: Pick<Organization, 'id' | 'realms'>,
  user: string,
  error = '550 no such mailbox',
): Promise<string> {
  const now = services.clock.now()
  const id = newId('mail', now)
  const realm = realms.live
  await services.store.write({ organization, realms: [realm] }, async (tx) =>
    tx.insert('mails', {
      ...{ realm, id, organization, user, kind: 'notice', content: '{"notification":"secret"}', sealed: 0 },
      ...{ status: 'dead', due_at: now, attempts: 7, uncertain: 0, lease_owner: null, lease_until: null },
      ...{ error, created: now, updated: now },
    }),
  )
  return id
}
