/**
 * Applications: programs that act in their own name, with access tokens that live for an hour or as long as was asked. The
 * command line issues tokens to any application by name; those that are registered here have a name to show and scopes that
 * bound their tokens.
 */
import type { Caller } from '../../api/caller.ts'
import { refuse } from '../../api/errors.ts'
import { isOneOf } from '../../db/dialect.ts'
import { literal, query } from '../../db/query.ts'
import type { ApplicationRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'
import type { Application, Mode } from '../shapes.ts'

const byId = query<ApplicationRow>((db, p) =>
  db.selectFrom('applications').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export const listRows = query((db, p) =>
  db
    .selectFrom('applications')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(literal(limits.applications_max)),
)

/** Tokens that still work, of some applications. */
const countTokens = query((db, p, dialect) =>
  db
    .selectFrom('credentials')
    .select(['owner_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('realm', '=', p('realm'))
    .where('kind', '=', 'access_token')
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .where(isOneOf(dialect, 'owner_id', p('owners')))
    .groupBy('owner_id'),
)

/** The tokens of an application that still work, the newest first. */
export const livingTokens = query((db, p) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('kind', '=', 'access_token')
    .where('owner_id', '=', p('application'))
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(literal(limits.application_tokens_max)),
)

/** The application of an id; 404 where there is none, or none any more. */
export async function requireApplication(reader: Reader, { realm }: Pick<Caller, 'realm'>, id: string) {
  const row = await reader.first(byId, { realm, id })
  if (row === undefined) throw refuse('resource_not_found', { param: 'id', message: 'No such application.' })
  if (row.deleted_at !== null) {
    throw refuse('resource_deleted', { param: 'id', message: 'This application was deleted.' })
  }
  return row
}

export async function showApplications(
  reader: Reader,
  mode: Mode,
  rows: readonly ApplicationRow[],
  now: number,
): Promise<Application[]> {
  const [first] = rows
  if (first === undefined) return []
  const owners = JSON.stringify(rows.map(({ id }) => id))
  const counts = await reader.all(countTokens, { realm: first.realm, owners, now })
  const living = new Map(counts.map((row) => [row.owner_id, row.count]))
  return rows.map(({ id, name, scopes, created }) => ({
    id,
    name,
    scopes: JSON.parse(scopes) as string[],
    mode,
    created: seconds(created),
    tokens: living.get(id) ?? 0,
  }))
}
