/** Checks whether a new dependency exists already or would create a cycle (contract/15#dependency). */
import { sql } from 'kysely'
import { refuse } from '../../api/declare/errors.ts'
import { selectForEach } from '../../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../../db/query.ts'
import type { DependencyRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'

type Edge = Pick<DependencyRow, 'realm' | 'from' | 'to' | 'kind'>

const findSame = query((db, p: Placeholder<{ realm: number; from: string; to: string; kind: string }>) =>
  db
    .selectFrom('dependencies')
    .select('id')
    .where('realm', '=', p('realm'))
    .where('from', '=', p('from'))
    .where('to', '=', p('to'))
    .where('kind', '=', p('kind'))
    .where('deleted_at', 'is', null),
)

/** Refuses a dependency with the tasks and kind of an existing one. */
export async function requireNew(reader: Reader, { realm, from, to, kind }: Edge): Promise<void> {
  if ((await reader.first(findSame, { realm, from, to, kind })) === undefined) return
  throw refuse('resource_conflict', { param: 'to', message: 'This dependency exists already.' })
}

/**
 * Whether a path of `blocks` and `precedes` leads from one task to another; paths never leave a project. UNION drops tasks
 * that were already reached, so each is visited once even if many paths lead to it. The first half reads rows instead of
 * selecting the bound id, because PostgreSQL requires the same collation in both halves.
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

/** Refuses a dependency that would create a cycle of `blocks` and `precedes` together. */
export async function requireNoCycle(reader: Reader, { realm, from, to, kind }: Edge): Promise<void> {
  if (!ordering_kinds.has(kind)) return
  if ((await reader.first(findWay, { realm, start: to, end: from })) === undefined) return
  throw refuse('resource_conflict', { param: 'to', message: 'This dependency would create a cycle.' })
}
