/**
 * When credentials were last used. A table of its own: it changes all the time, and credentials are copied to every node of a Citus
 * cluster. Uses before this table are in `credentials`.
 */
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { CredentialRow } from '../../db/schema.ts'
import type { Reader, Tx } from '../../db/store.ts'

export type Use = Readonly<{ realm: number; id: string; now: number }>

const recordUse = query((db, p: Placeholder<Use>) =>
  db
    .insertInto('credential_uses')
    .values({ realm: p('realm'), id: p('id'), last_used_at: p('now') })
    .onConflict((conflict) =>
      conflict.columns(['realm', 'id']).doUpdateSet((eb) => ({ last_used_at: eb.ref('excluded.last_used_at') })),
    ),
)

const remaining = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('credentials')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id'))
    .where('deleted_at', 'is', null),
)

/** A credential that was deleted since, perhaps by its own request, leaves no use behind. */
export async function recordUses(tx: Tx, uses: readonly Use[]): Promise<void> {
  const found = await Promise.all(uses.map(({ realm, id }) => tx.first(remaining, { realm, id })))
  for (const [i, use] of uses.entries()) if (found[i] !== undefined) tx.write(recordUse, use)
}

export const deleteUse = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.deleteFrom('credential_uses').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const useOf = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db.selectFrom('credential_uses').select('last_used_at').where('realm', '=', p('realm')).where('id', '=', p('id')),
)

const usesOf = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('credential_uses')
    .select(['id', 'last_used_at'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids'))),
)

/** A credential with its last use; the row is requested at the same time. */
export async function withLastUse(
  reader: Reader,
  key: { readonly realm: number; readonly id: string },
  row: CredentialRow | undefined | PromiseLike<CredentialRow | undefined>,
): Promise<CredentialRow | undefined> {
  const [found, use] = await Promise.all([row, reader.first(useOf, key)])
  if (found === undefined || found.deleted_at !== null || use === undefined) return found
  return { ...found, last_used_at: use.last_used_at }
}

/** The last uses of a realm's credentials by id, as far as they are known here. */
export async function lastUses(
  reader: Reader,
  realm: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await reader.all(usesOf, { realm, ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, row.last_used_at]))
}
