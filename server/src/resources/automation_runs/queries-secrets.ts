/**
 * Secrets of a realm that http.request sends: named in graphs, sealed in the database, opened only when a request is about
 * to leave. No answer, event, journal or log ever holds one (decisions §16).
 */
import type { Services } from '../../api/services.ts'
import { query } from '../../db/query.ts'
import type { AutomationSecretRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'

const findSecret = query<AutomationSecretRow>((db, p) =>
  db.selectFrom('automation_secrets').selectAll().where('realm', '=', p('realm')).where('name', '=', p('name')),
)

const countSecrets = query((db, p) =>
  db
    .selectFrom('automation_secrets')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm')),
)

const replaceSecret = query((db, p) =>
  db
    .updateTable('automation_secrets')
    .set({ value: p('value'), updated: p('now') })
    .where('realm', '=', p('realm'))
    .where('name', '=', p('name')),
)

function context(realm: number, name: string): string {
  return `automation_secrets ${realm} ${name}`
}

/** Whether a realm has a secret of this name. */
export async function hasSecret(reader: Reader, realm: number, name: string): Promise<boolean> {
  return (await reader.first(findSecret, { realm, name })) !== undefined
}

/** The secret itself; `null` when there is none of this name. */
export async function openSecret(
  { store, sealer }: Pick<Services, 'store' | 'sealer'>,
  realm: number,
  name: string,
): Promise<string | null> {
  const row = await store.reader('system').first(findSecret, { realm, name })
  return row === undefined ? null : sealer.open(row.value, context(realm, name))
}

/** Keeps a secret under a name, in place of one that was there. Returns whether it is new; `null` when there is no room. */
export async function keepSecret(
  tx: Tx,
  sealer: Sealer,
  secret: { readonly realm: number; readonly name: string; readonly value: string },
  now: number,
  secrets_max: number,
): Promise<boolean | null> {
  const { realm, name } = secret
  const value = sealer.seal(secret.value, context(realm, name))
  if (await hasSecret(tx, realm, name)) {
    tx.write(replaceSecret, { realm, name, value, now })
    return false
  }
  if (Number((await tx.first(countSecrets, { realm }))?.count) >= secrets_max) return null
  tx.insert('automation_secrets', { realm, name, created: now, updated: now, value })
  return true
}
