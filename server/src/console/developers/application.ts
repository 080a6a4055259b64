/**
 * Applications: programs that act in their own name with access tokens. An application registered here has a display
 * name, and its scopes are the scopes of its tokens. The command line also issues tokens to unregistered applications.
 */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { isOneOf } from '../../db/dialect.ts'
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { ApplicationRow, OauthClientRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { console_limits } from '../limits.ts'
import { listClientsOfRealm } from '../oauth/queries.ts'
import type { Application, ApplicationSignIn, Mode } from '../shapes.ts'

const findApplication = query<ApplicationRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('applications').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export const listApplicationRows = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('applications')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('deleted_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(literal(console_limits.applications_max)),
)

/** The number of active tokens of each application, without those that people have allowed. */
const countActiveTokens = query((db, p: Placeholder<{ realm: number; now: number; owners: string }>, dialect) =>
  db
    .selectFrom('credentials')
    .select(['owner_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('realm', '=', p('realm'))
    .where('kind', '=', 'access_token')
    .where('oauth_grant', 'is', null)
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .where(isOneOf(dialect, 'owner_id', p('owners')))
    .groupBy('owner_id'),
)

/** The application's active tokens, the newest first, without those that people have allowed. */
export const listActiveTokens = query((db, p: Placeholder<{ realm: number; application: string; now: number }>) =>
  db
    .selectFrom('credentials')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('kind', '=', 'access_token')
    .where('owner_id', '=', p('application'))
    .where('oauth_grant', 'is', null)
    .where('deleted_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(literal(console_limits.application_tokens_max)),
)

/** Finds an application; refuses an unknown id with 404 and a deleted one with 410. */
export async function requireApplication(reader: Reader, { realm }: Pick<Caller, 'realm'>, id: string) {
  const row = await reader.first(findApplication, { realm, id })
  if (row === undefined)
    throw refuse('resource_not_found', { param: 'id', message: `No application has the id "${id}".` })
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
  const counts = await reader.all(countActiveTokens, { realm: first.realm, owners, now })
  const tokenCounts = new Map(counts.map((row) => [row.owner_id, row.count]))
  const clients = new Map((await reader.all(listClientsOfRealm, { realm: first.realm })).map((row) => [row.id, row]))
  return rows.map(({ id, name, scopes, created }) => ({
    id,
    name,
    scopes: JSON.parse(scopes) as string[],
    mode,
    created: seconds(created),
    tokens: tokenCounts.get(id) ?? 0,
    sign_in: showSignIn(clients.get(id)),
  }))
}

function showSignIn(client: OauthClientRow | undefined): ApplicationSignIn | null {
  if (client === undefined) return null
  const { kind, redirect_uris, hint } = client
  return {
    kind: kind as ApplicationSignIn['kind'],
    redirect_uris: JSON.parse(redirect_uris) as string[],
    secret_hint: hint,
  }
}
