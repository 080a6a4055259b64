/**
 * The rows of credit windows: `used` counts what was spent and what processes hold. Taking credits locks the row, so all
 * processes together never take more than the limit (contract/04#several-processes).
 */
import { sql } from 'kysely'
import { type Placeholder, query, rawQuery } from '../../db/query.ts'
import type { Reader, Store } from '../../db/store.ts'
import { type CreditWindow, type WindowKind, window_kinds } from './credit-limits.ts'

const readUsed = query(
  (db, p: Placeholder<{ organization: string; subject: string; kind: string; starts_at: number }>) =>
    db
      .selectFrom('credit_windows')
      .select('used')
      .where('organization', '=', p('organization'))
      .where('subject', '=', p('subject'))
      .where('kind', '=', p('kind'))
      .where('starts_at', '=', p('starts_at')),
)

const lockUsed = query(
  (db, p: Placeholder<{ organization: string; subject: string; kind: string; starts_at: number }>, dialect) => {
    const row = db
      .selectFrom('credit_windows')
      .select('used')
      .where('organization', '=', p('organization'))
      .where('subject', '=', p('subject'))
      .where('kind', '=', p('kind'))
      .where('starts_at', '=', p('starts_at'))
    return dialect === 'postgres' ? row.forUpdate() : row
  },
)

const openWindow = query(
  (db, p: Placeholder<{ organization: string; subject: string; kind: string; starts_at: number }>) =>
    db
      .insertInto('credit_windows')
      .values({
        organization: p('organization'),
        subject: p('subject'),
        kind: p('kind'),
        starts_at: p('starts_at'),
        used: 0,
      })
      .onConflict((conflict) => conflict.doNothing()),
)

const addUsed = query(
  (db, p: Placeholder<{ amount: number; organization: string; subject: string; kind: string; starts_at: number }>) =>
    db
      .updateTable('credit_windows')
      .set((eb) => ({ used: eb('used', '+', p('amount')) }))
      .where('organization', '=', p('organization'))
      .where('subject', '=', p('subject'))
      .where('kind', '=', p('kind'))
      .where('starts_at', '=', p('starts_at')),
)

/** Adds to a window, and opens it if it is missing. */
const openWith = query(
  (db, p: Placeholder<{ amount: number; organization: string; subject: string; kind: string; starts_at: number }>) =>
    db
      .insertInto('credit_windows')
      .values({
        organization: p('organization'),
        subject: p('subject'),
        kind: p('kind'),
        starts_at: p('starts_at'),
        used: p('amount'),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization', 'subject', 'kind', 'starts_at'])
          .doUpdateSet((eb) => ({ used: eb('credit_windows.used', '+', eb.ref('excluded.used')) })),
      ),
)

/**
 * PostgreSQL only: adds to several windows in the order given, and opens missing ones unless the amount is negative. Skips
 * a window of which the amount is more than its share of what is left, if it has a `ceiling`.
 */
const addToMany = rawQuery(
  (p: Placeholder<{ rows: string; share: number }>) => sql<{ kind: string; subject: string; used: number }>`
    insert into credit_windows (organization, subject, kind, starts_at, used)
    select organization, subject, kind, starts_at, used from json_to_recordset(${p('rows')}::json)
      as one(organization text, subject text, kind text, starts_at bigint, used bigint)
    where used > 0 or exists (select 1 from credit_windows as known where known.organization = one.organization
      and known.subject = one.subject and known.kind = one.kind and known.starts_at = one.starts_at)
    on conflict (organization, subject, kind, starts_at) do update set used = credit_windows.used + excluded.used
    where credit_windows.used + excluded.used * ${p('share')}::bigint <= coalesce((select one.ceiling
      from json_to_recordset(${p('rows')}::json) as one(subject text, kind text, starts_at bigint, ceiling bigint)
      where one.subject = excluded.subject and one.kind = excluded.kind and one.starts_at = excluded.starts_at),
      9223372036854775807)
    returning kind, subject, used`,
)

function keyOf(window: CreditWindow) {
  return { organization: window.organization, subject: window.subject, kind: window.kind, starts_at: window.startsAt }
}

export async function usedOf(reader: Reader, window: CreditWindow): Promise<number> {
  return (await reader.first(readUsed, keyOf(window)))?.used ?? 0
}

/** A process's request for credits of one window: at least `need`, at most `want`. */
export interface Take {
  readonly window: CreditWindow
  readonly need: number
  readonly want: (used: number) => number
}

export interface TakeResult {
  readonly used: number
  readonly taken: number
  /** False when the window has no room for `need`. */
  readonly fits: boolean
}

/** Takes credits from several windows in one transaction; takes nothing from a window without room. */
export async function takeCredits(store: Store, takes: readonly Take[]): Promise<TakeResult[]> {
  return await store.write('system', async (tx) => {
    const results: TakeResult[] = []
    for (const { window, need, want } of takes) {
      let row = await tx.first(lockUsed, keyOf(window))
      if (row === undefined) {
        tx.write(openWindow, keyOf(window))
        row = await tx.first(lockUsed, keyOf(window))
      }
      const used = row?.used ?? 0
      const fits = window.limit === null || used + need <= window.limit
      const taken = fits ? Math.max(need, want(used)) : 0
      if (taken > 0) tx.write(addUsed, { ...keyOf(window), amount: taken })
      results.push({ used: used + taken, taken, fits })
    }
    return results
  })
}

/**
 * PostgreSQL only: takes an amount of each window in one statement, where it is at most one in `share` of what is left.
 * Returns those that were taken. Locks windows in the order of `takeCredits` to avoid deadlocks.
 */
export async function takeBlocks(
  store: Store,
  blocks: readonly { readonly window: CreditWindow; readonly amount: number }[],
  share: number,
): Promise<readonly { readonly kind: string; readonly subject: string; readonly used: number }[]> {
  const rows = blocks.map(({ window, amount }) => ({ ...keyOf(window), used: amount, ceiling: window.limit }))
  return await store.write('system', async (tx) => await tx.all(addToMany, { rows: JSON.stringify(rows), share }))
}

/**
 * Returns unspent credits, on PostgreSQL those of all windows in one statement; a negative amount counts credits that were
 * spent uncounted. Locks windows in the order of `takeCredits` to avoid deadlocks.
 */
export async function returnCredits(
  store: Store,
  rest: readonly { window: CreditWindow; amount: number }[],
): Promise<void> {
  const inOrder = rest.toSorted((a, b) => (lockOrder(a.window) < lockOrder(b.window) ? -1 : 1))
  await store.write('system', async (tx) => {
    if (store.dialect === 'postgres' && !store.isDistributed) {
      const rows = inOrder.map(({ window, amount }) => ({ ...keyOf(window), used: -amount, ceiling: null }))
      tx.write(addToMany, { rows: JSON.stringify(rows), share: 1 })
      return
    }
    for (const { window, amount } of inOrder) {
      tx.write(amount < 0 ? openWith : addUsed, { ...keyOf(window), amount: -amount })
    }
  })
}

/** Minute, day, plan pool: the window that most requests share is locked last. */
function lockOrder(window: CreditWindow): string {
  return `${window_kinds.indexOf(window.kind as WindowKind)} ${window.subject} ${window.startsAt}`
}
