/** SQL of an organization's realms, and of the lists that both realms share. */
import { refuse } from '../../../api/declare/errors.ts'
import type { Noun } from '../../../api/declare/noun.ts'
import type { ListContext } from '../../../api/declare/operation.ts'
import type { Page } from '../../../api/declare/page-shape.ts'
import { readPageRequest, toPage } from '../../../api/request/page.ts'
import type { RealmMode } from '../../../api/write/record.ts'
import { literal, shapedQuery } from '../../../db/query.ts'
import type { Schema } from '../../../db/schema.ts'
import type { Store } from '../../../db/store.ts'
import { realmsOf } from '../realms.ts'

/** Both realms of an organization, the live one first; refuses an unknown one. */
export async function requireRealms(store: Store, organization: string): Promise<RealmMode[]> {
  const realms = await realmsOf(store, organization)
  if (realms.length > 0) return realms
  throw refuse('resource_not_found', { param: 'organization', message: `There is no organization ${organization}.` })
}

/** A page, in descending id order, of a table that both realms of the organization share. */
export async function listOfOrganization<T extends 'members' | 'teams'>(
  context: Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'query'>,
  noun: Noun<Schema[T]>,
): Promise<Page> {
  const { reader, caller, query } = context
  const walk = readPageRequest(query)
  if (walk.cursor !== null && (await noun.find(reader, caller, walk.cursor)) === undefined) {
    throw refuse('cursor_invalid', { param: walk.param })
  }
  const shape = `list ${noun.table} ${walk.cursor === null ? '' : walk.param} ${walk.limit}`
  const page = shapedQuery<Schema[T], { organization: string; cursor: string | null }>(shape, (db, p) => {
    let select = db
      // Kysely types the columns of one table; both have these.
      .selectFrom(noun.table as 'members')
      .selectAll()
      .where('organization', '=', p('organization'))
    if (walk.cursor !== null) select = select.where('id', walk.backwards ? '>' : '<', p('cursor'))
    // The rows are those of the noun's table.
    return select.orderBy('id', walk.backwards ? 'asc' : 'desc').limit(literal(walk.limit + 1)) as never
  })
  const rows = await reader.all(page, { organization: caller.organization, cursor: walk.cursor })
  return toPage(rows, walk, noun.show, (row) => row.id)
}
