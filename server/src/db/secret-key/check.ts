/**
 * The secret key that a database belongs to. Its fingerprint is stored with the data, so that a program with another key is
 * refused before it changes anything. A database from before has none: it takes the key of the first start, unless sealed
 * values show that it is another one.
 */
import { sql } from 'kysely'
import { type CarriedKeys, SealBroken, Sealer } from '../../lib/seal.ts'
import { db_limits } from '../limits.ts'
import { appliedWithin } from '../migrate.ts'
import { secretKey as migration } from '../migrations/0014_secret_key.ts'
import { onceQuery, query } from '../query.ts'
import type { SecretKeyRow } from '../schema.ts'
import type { Reader, Store } from '../store.ts'
import { type SealedColumn, sealed_columns } from './sealed-values.ts'

/** The database belongs to another secret key. */
export class WrongSecretKey extends Error {
  override name = 'WrongSecretKey'
}

/** The context of the carried keys. */
export const carried_context = 'secret_key carried'

export const row_id = 'current'

const findRow = query((db) => db.selectFrom('secret_key').selectAll())

/** What the database records about its secret key; null before the first record, or before the migration. */
export async function readSecretKeyRow(store: Store): Promise<SecretKeyRow | null> {
  return await store.snapshot('system', secretKeyRowWithin)
}

/** The same for the reader of a snapshot, or in a transaction. */
export async function secretKeyRowWithin(reader: Reader): Promise<SecretKeyRow | null> {
  if (!(await appliedWithin(reader)).includes(migration.name)) return null
  return (await reader.first(findRow)) ?? null
}

/** Rejects with WrongSecretKey if the database is recorded as another key's. Changes nothing. */
export async function requireSecretKey(store: Store, secretKey: Buffer): Promise<void> {
  const row = await readSecretKeyRow(store)
  if (row !== null) requireFingerprint(row, secretKey)
}

/**
 * The sealer of a migrated database, with the keys that rotations have carried over. A database without a fingerprint gets
 * the one of this key. Rejects with WrongSecretKey if the database belongs to another key.
 */
export async function openSealer(store: Store, secretKey: Buffer): Promise<Sealer> {
  const row = (await store.reader('system').first(findRow)) ?? (await claimDatabase(store, secretKey))
  requireFingerprint(row, secretKey)
  if (row.carried === null) return new Sealer(secretKey)
  return new Sealer(secretKey, JSON.parse(new Sealer(secretKey).open(row.carried, carried_context)) as CarriedKeys)
}

function requireFingerprint(row: SecretKeyRow, secretKey: Buffer): void {
  const { fingerprint } = new Sealer(secretKey)
  if (row.fingerprint === fingerprint) return
  throw new WrongSecretKey(`its fingerprint is ${fingerprint}, that of the database's key is ${row.fingerprint}`)
}

/** Stores the key's fingerprint, unless another process was faster. */
async function claimDatabase(store: Store, secretKey: Buffer): Promise<SecretKeyRow> {
  return await store.migrate(async (tx) => {
    const known = await tx.first(findRow)
    if (known !== undefined) return known
    const sealer = new Sealer(secretKey)
    await requireProof(tx, sealer)
    const { fingerprint } = sealer
    const row: SecretKeyRow = { id: row_id, fingerprint, carried: null, rotated_at: null, rotating: null }
    tx.insert('secret_key', row)
    return row
  })
}

/** Rejects with WrongSecretKey if there are sealed values and the key opens none of those that are tried. */
async function requireProof(reader: Reader, sealer: Sealer): Promise<void> {
  let tried = 0
  for (const column of sealed_columns) {
    for (const row of await reader.all(sealedRows(column, db_limits.key_proofs_max, null))) {
      if (isOpened(sealer, column, row)) return
      tried++
    }
  }
  if (tried > 0) throw new WrongSecretKey('it opens none of the sealed values')
}

function isOpened(sealer: Sealer, column: SealedColumn, row: SealedRow): boolean {
  try {
    sealer.open(String(row[column.column]), column.context(row))
    return true
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}

export type SealedRow = Readonly<Record<string, string | number | null>>

/** The sealed values of a column with their keys, in the order of the keys, after `last`. */
export function sealedRows({ table, key, column, flag }: SealedColumn, count: number, last: SealedRow | null) {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const after = last === null ? sql`1 = 1` : sql`(${columns}) > (${sql.join(key.map((name) => last[name]))})`
  const isSealed = flag === null ? sql`${sql.ref(column)} is not null` : sql`${sql.ref(flag)} = 1`
  return onceQuery(
    () => sql<SealedRow>`select ${columns}, ${sql.ref(column)} from ${sql.table(table)} where ${isSealed} and ${after}
      order by ${columns} limit ${sql.lit(count)}`,
  )
}
