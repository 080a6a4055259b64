/**
 * The key pair by which push services know the installation (RFC 8292): the operator's, or one that is made at the first use and kept
 * sealed in the database. Browsers subscribe to its public key, so another pair would end all subscriptions.
 */
import type { Services } from '../api/services.ts'
import { query } from '../db/query.ts'
import type { PushKeyRow } from '../db/schema.ts'
import { pushKeyContext } from '../db/secret-key/sealed-values.ts'
import { type KeyPair, keyPairOf, newKeyPair } from '../lib/p256.ts'

const row_id = 'current'

const find = query<PushKeyRow>((db) => db.selectFrom('push_keys').selectAll())

const insert = query<never, { [K in keyof PushKeyRow]: PushKeyRow[K] }>((db, p) =>
  db
    .insertInto('push_keys')
    .values({ id: p('id'), public_key: p('public_key'), private_key: p('private_key'), created: p('created') })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

export interface PushKeys extends KeyPair {
  /** Whom a push service may ask about the notices: a mailto or https URL. */
  readonly subject: string
}

type Uses = Pick<Services, 'store' | 'sealer' | 'settings' | 'clock'>

export async function pushKeys(services: Uses): Promise<PushKeys> {
  const { push, publicUrl } = services.settings
  const subject = push.subject ?? publicUrl
  const given = push.privateKey === null ? null : keyPairOf(push.privateKey)
  return { ...(given ?? (await storedPair(services))), subject }
}

async function storedPair({ store, sealer, clock }: Uses): Promise<KeyPair> {
  let row = await store.reader('system').first(find)
  if (row === undefined) {
    const pair = newKeyPair()
    const private_key = sealer.seal(pair.privateKey, pushKeyContext(row_id))
    const made: PushKeyRow = { id: row_id, public_key: pair.publicKey, private_key, created: clock.now() }
    // Another process may be faster; then its pair is the one.
    await store.write('system', async (tx) => tx.write(insert, { ...made }))
    row = (await store.reader('system').first(find)) ?? made
  }
  return { publicKey: row.public_key, privateKey: sealer.open(row.private_key, pushKeyContext(row.id)) }
}
