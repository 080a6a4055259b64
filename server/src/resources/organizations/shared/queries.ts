/** SQL of an organization's realms, and of the lists that both realms share. */
import { type SqlBool, sql } from 'kysely'
import { refuse } from '../../../api/declare/errors.ts'
import type { Noun } from '../../../api/declare/noun.ts'
import type { ListContext } from '../../../api/declare/operation.ts'
import type { Page } from '../../../api/declare/page-shape.ts'
import { choices, quoted } from '../../../api/declare/quoted.ts'
import { limits } from '../../../api/limits.ts'
import { readPageRequest, toPage } from '../../../api/request/page.ts'
import { realmsOf } from '../../../api/write/realms.ts'
import type { RealmMode } from '../../../api/write/record.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { literal, query, shapedQuery } from '../../../db/query.ts'
import type { Schema } from '../../../db/schema.ts'
import type { Store } from '../../../db/store.ts'

const firstOrganizations = query((db) =>
  db
    .selectFrom('organizations')
    .select(['organization', 'name'])
    .orderBy('organization')
    .limit(literal(limits.suggested_organizations_max)),
)

/**
 * Both realms of an organization, the live one first; refuses an unknown one. Only the operator can name an unknown one, so
 * the refusal names organizations that exist.
 */
export async function requireRealms(store: Store, organization: string): Promise<RealmMode[]> {
  const realms = await realmsOf(store, organization)
  if (realms.length > 0) return realms
  const known = await store.reader('system').all(firstOrganizations)
  const use = known.length === 0 ? '' : ` Use ${choices(known.map(({ organization: id, name }) => `${id} (${name})`))}.`
  const message = `There is no organization ${quoted(organization)}.${use}`
  throw refuse('resource_not_found', { param: 'organization', message })
}

interface PageValues {
  readonly [name: string]: string | null
  readonly organization: string
  readonly cursor: string | null
  readonly users: string
}

/** A page, in descending id order, of a table that both realms of the organization share: all rows, or those of some users. */
export async function listOfOrganization<T extends 'members' | 'teams'>(
  context: Pick<ListContext<object, unknown>, 'reader' | 'caller' | 'query'>,
  noun: Noun<Schema[T]>,
  users?: readonly string[],
): Promise<Page> {
  const { reader, caller, query } = context
  const walk = readPageRequest(query)
  if (walk.cursor !== null && (await noun.find(reader, caller, walk.cursor)) === undefined) {
    throw refuse('cursor_invalid', { param: walk.param })
  }
  const shape = `list ${noun.table} ${walk.cursor === null ? '' : walk.param} ${walk.limit} ${users === undefined}`
  const page = shapedQuery<Schema[T], PageValues>(shape, (db, p, dialect) => {
    let select = db
      // Kysely types the columns of one table; both have these.
      .selectFrom(noun.table as 'members')
      .selectAll()
      .where('organization', '=', p('organization'))
    if (noun.table === 'teams') select = select.where(sql<SqlBool>`deleted_at is null`)
    if (users !== undefined) select = select.where(isOneOf(dialect, 'user', p('users')))
    if (walk.cursor !== null) select = select.where('id', walk.backwards ? '>' : '<', p('cursor'))
    return select.orderBy('id', walk.backwards ? 'asc' : 'desc').limit(literal(walk.limit + 1))
  })
  const rows = await reader.all(page, {
    organization: caller.organization,
    cursor: walk.cursor,
    users: JSON.stringify(users ?? []),
  })
  return toPage(rows, walk, noun.show, (row) => row.id)
}
