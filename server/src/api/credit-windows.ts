/**
 * The store's side of credits: one row a window, `used` counting what was spent and what processes hold in hand. Taking
 * locks the row, so that all processes together never take more than the limit (decisions §4).
 */
import { query } from '../db/query.ts'
import type { Reader, Store } from '../db/store.ts'
import { type CreditWindow, window_kinds } from './credit-limits.ts'

const readUsed = query((db, p) =>
  db
    .selectFrom('credit_windows')
    .select('used')
    .where('organization', '=', p('organization'))
    .where('subject', '=', p('subject'))
    .where('kind', '=', p('kind'))
    .where('starts_at', '=', p('starts_at')),
)

const lockUsed = query((db, p, dialect) => {
  const row = db
    .selectFrom('credit_windows')
    .select('used')
    .where('organization', '=', p('organization'))
    .where('subject', '=', p('subject'))
    .where('kind', '=', p('kind'))
    .where('starts_at', '=', p('starts_at'))
  return dialect === 'postgres' ? row.forUpdate() : row
})

const openWindow = query((db, p) =>
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

const addUsed = query((db, p) =>
  db
    .updateTable('credit_windows')
    .set((eb) => ({ used: eb('used', '+', p('amount')) }))
    .where('organization', '=', p('organization'))
    .where('subject', '=', p('subject'))
    .where('kind', '=', p('kind'))
    .where('starts_at', '=', p('starts_at')),
)

function key(window: CreditWindow) {
  return { organization: window.organization, subject: window.subject, kind: window.kind, starts_at: window.startsAt }
}

export async function usedOf(reader: Reader, window: CreditWindow): Promise<number> {
  return (await reader.first(readUsed, key(window)))?.used ?? 0
}

/** What one process wants of a window: at least `need`, at most `want`. */
export interface Take {
  readonly window: CreditWindow
  readonly need: number
  readonly want: (used: number) => number
}

export interface TakeResult {
  readonly used: number
  readonly taken: number
  /** False: the window has no room for what is needed. */
  readonly fits: boolean
}

/** Takes from several windows in one transaction. Of a window without room nothing is taken. */
export async function takeFrom(store: Store, takes: readonly Take[]): Promise<TakeResult[]> {
  return await store.write('system', async (tx) => {
    const results: TakeResult[] = []
    for (const { window, need, want } of takes) {
      let row = await tx.first(lockUsed, key(window))
      if (row === undefined) {
        tx.write(openWindow, key(window))
        row = await tx.first(lockUsed, key(window))
      }
      const used = row?.used ?? 0
      const fits = window.limit === null || used + need <= window.limit
      const taken = fits ? Math.max(need, want(used)) : 0
      if (taken > 0) tx.write(addUsed, { ...key(window), amount: taken })
      results.push({ used: used + taken, taken, fits })
    }
    return results
  })
}

/** Gives back what was taken and not spent. Locks in the order of `takeFrom`, so that neither waits for the other. */
export async function giveBack(store: Store, rest: readonly { window: CreditWindow; amount: number }[]): Promise<void> {
  const inOrder = rest.toSorted((a, b) => (placeOf(a.window) < placeOf(b.window) ? -1 : 1))
  await store.write('system', async (tx) => {
    for (const { window, amount } of inOrder) tx.write(addUsed, { ...key(window), amount: -amount })
  })
}

/** A credential's minute, its day, the plan's pool: what many share comes last. */
function placeOf(window: CreditWindow): string {
  return `${window_kinds.indexOf(window.kind)} ${window.subject} ${window.startsAt}`
}
