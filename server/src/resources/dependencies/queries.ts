/** Checks of a new dependency: does an equal one exist, and would it create a cycle (contract/15#dependency). */
import { sql } from 'kysely'
import { refuse } from '../../api/declare/errors.ts'
import { selectForEach } from '../../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../../db/query.ts'
import type { DependencyRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

type Edge = Pick<DependencyRow, 'realm' | 'from' | 'to' | 'kind'>

const findTwin = query((db, p: Placeholder<{ realm: number; from: string; to: string; kind: string }>) =>
  db
    .selectFrom('dependencies')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('from', '=', p('from'))
    .where('to', '=', p('to'))
    .where('kind', '=', p('kind'))
    .where('deleted_at', 'is', null),
)

/** Refuses a dependency of the same tasks and kind as one that stands. */
export async function requireNew(reader: Reader, { realm, from, to, kind }: Edge): Promise<void> {
  if ((await reader.first(findTwin, { realm, from, to, kind })) === undefined) return
  throw refuse('resource_conflict', { param: 'to', message: 'There is such a dependency already.' })
}

/**
 * Whether a way of `blocks` and `precedes` leads from one task to another. UNION drops tasks that were reached before,
 * so each is looked at once, however many ways lead to it; a way never leaves its project. The first half reads rows
 * instead of naming the bound id, because PostgreSQL wants one collation in both halves.
 */
const findWay = rawQuery((p: Placeholder<{ realm: number; start: string; end: string }>, dialect) => {
  const orders = sql`realm = ${p('realm')} and kind in ('blocks', 'precedes') and deleted_at is null`
  const next = selectForEach(dialect, {
    columns: sql`"to"`,
    outer: sql`reached`,
    inner: sql`dependencies`,
    on: sql`"from" = reached.task and ${orders}`,
  })
  return sql<{ found: number }>`
    with recursive reached(task) as (
      select "to" from dependencies where "from" = ${p('start')} and ${orders} union ${next}
    )
    select 1 as found from reached where task = ${p('end')} limit 1`
})

const ordering_kinds: ReadonlySet<string> = new Set(['blocks', 'precedes'])

/** Refuses a dependency that would create a cycle of `blocks` and `precedes`, taken together. */
export async function requireNoCycle(reader: Reader, { realm, from, to, kind }: Edge): Promise<void> {
  if (!ordering_kinds.has(kind)) return
  if ((await reader.first(findWay, { realm, start: to, end: from })) === undefined) return
  throw refuse('resource_conflict', { param: 'to', message: 'This dependency would create a cycle.' })
}
