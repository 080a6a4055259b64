import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { OauthGrantRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { endpoint } from '../endpoint.ts'
import type { OauthGrant } from '../shapes.ts'
import { endGrantAs } from './end-grant.ts'
import { findGrant, listGrantsOfUser } from './queries.ts'

/** Lists the applications to which the person has given access in this organization. */
export const listGrants = endpoint('GET oauth/grants', {
  needs: 'session',
  async handle({ services, session: { organization, user }, now }) {
    const rows = await services.store.reader('system').all(listGrantsOfUser, { organization, user, now })
    return {
      data: rows.map(showGrant),
    }
  },
})

export function showGrant(row: OauthGrantRow): OauthGrant {
  return {
    id: row.id,
    application: { id: row.client, name: row.client_name },
    scopes: JSON.parse(row.scopes) as string[],
    resource: row.resource as 'mcp' | 'api' | null,
    mode: row.mode as Mode,
    created: seconds(row.created),
    last_used_at: seconds(row.last_used_at),
  }
}

/** Ends the access of an application. Grants of other people answer 404. */
export const revokeGrantOfPerson = endpoint('DELETE oauth/grants/{id}', {
  needs: 'session',
  async handle(context) {
    const { services, session, params } = context
    const { id = '' } = params
    const { organization, user } = session
    const found = await services.store.reader('system').first(findGrant, { id })
    if (found === undefined || found.organization !== organization || found.user !== user)
      throw refuse('resource_not_found', { param: 'id', message: `You have given no access with the id "${id}".` })
    return await endGrantAs(context, found)
  },
})
