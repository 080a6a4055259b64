/**
 * The rotation of the secret key. One transaction seals every value again and stores the new fingerprint, so that at any
 * moment the database belongs to exactly one of the two keys. Invariant: no process that has opened the database with the
 * former key outlives the transaction: the rotation is announced first, and each process enters before it looks for
 * announcements.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Sealer } from '../../lib/seal.ts'
import { db_limits } from '../limits.ts'
import { onceQuery, type Placeholder, query } from '../query.ts'
import type { Store, Tx } from '../store.ts'
import {
  carried_context,
  openSealer,
  readSecretKeyRow,
  row_id,
  type SealedRow,
  sealedRows,
  secretKeyRowWithin,
} from './check.ts'
import { type SealedColumn, sealed_columns } from './sealed-values.ts'

/** The rotation cannot begin now; the message says what to do. */
export class CannotRotate extends Error {}

/** What a rotation has done, in this order. */
export type RotationStep = 'announced' | 'written' | 'sealed' | 'committed'

const announce = query((db, p: Placeholder<{ rotating: string | null }>) =>
  db.updateTable('secret_key').set({ rotating: p('rotating') }),
)

type Replacement = { id: string; fingerprint: string; carried: string; now: number }

const replaceKey = query((db, p: Placeholder<Replacement>) =>
  db
    .updateTable('secret_key')
    .set({ fingerprint: p('fingerprint'), carried: p('carried'), rotated_at: p('now'), rotating: null })
    .where('id', '=', p('id')),
)

/**
 * Moves a migrated database from one secret key to another and returns the number of values that were sealed again. `to` puts
 * the new key on disk; it is called once no other process uses the database, so that a refused rotation leaves no file. `now`
 * is in milliseconds. Rejects with CannotRotate while other processes use the database, with WrongSecretKey if it does not
 * belong to `from`. `reached` is called after each step.
 */
export async function rotateSecretKey(
  store: Store,
  { from, to, now }: { readonly from: Buffer; readonly to: () => Buffer; readonly now: number },
  reached: (step: RotationStep) => void = () => {},
): Promise<number> {
  const rotating = store.processes.own()
  const former = await openSealer(store, from)
  await store.write('system', async (tx) => tx.write(announce, { rotating }))
  reached('announced')
  await requireAlone(store)
  const next = new Sealer(to())
  reached('written')
  const sealed = await store.migrate(async (tx) => {
    const row = await secretKeyRowWithin(tx)
    if (row?.rotating !== rotating) throw new CannotRotate('Another rotation has begun. Let it end.')
    let count = 0
    for (const column of sealed_columns) count += await sealAgain(tx, column, former, next)
    const carried = JSON.stringify(former.carryOver(now + db_limits.former_signatures_ms))
    const { fingerprint } = next
    tx.write(replaceKey, { id: row_id, fingerprint, carried: next.seal(carried, carried_context), now })
    reached('sealed')
    return count
  })
  reached('committed')
  return sealed
}

/** Waits for processes that are about to end, and rejects with CannotRotate if others stay. */
async function requireAlone(store: Store): Promise<void> {
  for (let waited = 0; ; waited += db_limits.rotation_pause_ms) {
    const others = await store.processes.others()
    if (others === 0) return
    if (waited >= db_limits.rotation_wait_ms) {
      await store.write('system', async (tx) => tx.write(announce, { rotating: null }))
      const processes = others === 1 ? 'Another process uses' : `${others} other processes use`
      throw new CannotRotate(`${processes} the database. Stop all servers, workers and commands first.`)
    }
    await sleep(db_limits.rotation_pause_ms)
  }
}

async function sealAgain(tx: Tx, column: SealedColumn, from: Sealer, to: Sealer): Promise<number> {
  let count = 0
  let last: SealedRow | null = null
  for (;;) {
    const rows: SealedRow[] = await tx.all(sealedRows(column, db_limits.backup_page_rows, last))
    for (const row of rows) {
      const context = column.context(row)
      tx.write(replaceValue(column, row, to.seal(from.open(String(row[column.column]), context), context)))
    }
    count += rows.length
    last = rows.at(-1) ?? null
    if (rows.length < db_limits.backup_page_rows) return count
  }
}

function replaceValue({ table, key, column }: SealedColumn, row: SealedRow, value: string) {
  const isRow = sql.join(
    key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )
  return onceQuery(() => sql<never>`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where ${isRow}`)
}

/** Whether a rotation is under way in a process that runs. */
export async function isRotating(store: Store): Promise<boolean> {
  const row = await readSecretKeyRow(store)
  if (row === null || row.rotating === null || row.rotating === store.processes.own()) return false
  return (await store.processes.ended([row.rotating])).length === 0
}
