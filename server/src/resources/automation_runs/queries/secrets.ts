/**
 * Secrets of a realm for http.request and chat.post: graphs name them, the database holds them sealed, and they are opened only when
 * a request is sent. No answer, event, journal or log contains one (contract/16#secrets).
 */
import type { Services } from '../../../api/services.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationSecretRow } from '../../../db/schema.ts'
import { automationSecretContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import type { Sealer } from '../../../lib/seal.ts'

const findSecret = query<AutomationSecretRow, { realm: number; name: string }>((db, p) =>
  db.selectFrom('automation_secrets').selectAll().where('realm', '=', p('realm')).where('name', '=', p('name')),
)

/** All secrets of a realm without their values, by name; at most `automation_secrets_max`. */
export const listSecrets = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('automation_secrets')
    .select(['name', 'created', 'updated'])
    .where('realm', '=', p('realm'))
    .orderBy('name')
    .limit(automation_limits.automation_secrets_max),
)

const countSecrets = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('automation_secrets')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm')),
)

const replaceSecret = query((db, p: Placeholder<{ value: string; now: number; realm: number; name: string }>) =>
  db
    .updateTable('automation_secrets')
    .set({ value: p('value'), updated: p('now') })
    .where('realm', '=', p('realm'))
    .where('name', '=', p('name')),
)

/** Whether a realm has a secret with this name. */
async function hasSecret(reader: Reader, realm: number, name: string): Promise<boolean> {
  return (await reader.first(findSecret, { realm, name })) !== undefined
}

/** The opened secret; null if none has this name. */
export async function openSecret(
  { store, sealer }: Pick<Services, 'store' | 'sealer'>,
  realm: number,
  name: string,
): Promise<string | null> {
  const row = await store.reader('system').first(findSecret, { realm, name })
  return row === undefined ? null : sealer.open(row.value, automationSecretContext(realm, name))
}

/**
 * Stores a secret and replaces an existing one. Returns whether it is new; null if the realm has `secrets_max` secrets.
 */
export async function keepSecret(
  tx: Tx,
  sealer: Sealer,
  secret: { readonly realm: number; readonly name: string; readonly value: string },
  now: number,
  secrets_max: number,
): Promise<boolean | null> {
  const { realm, name } = secret
  const value = sealer.seal(secret.value, automationSecretContext(realm, name))
  if (await hasSecret(tx, realm, name)) {
    tx.write(replaceSecret, { realm, name, value, now })
    return false
  }
  if (Number((await tx.first(countSecrets, { realm }))?.count) >= secrets_max) return null
  tx.insert('automation_secrets', { realm, name, created: now, updated: now, value })
  return true
}
