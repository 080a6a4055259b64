/** The access that the organization's people have given to applications, for owners: they see all of it and can end each. */
import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { commitAsUser } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import { realmOfSession } from '../sessions/session.ts'
import { showGrant } from './authorized.ts'
import { endGrant } from './grants.ts'
import { findGrant, listGrantsOfOrganization, newest_grant } from './queries.ts'

/** Lists the access that has not expired, the newest first, also of people who are inactive or guests, for whom it has no effect. */
export const listGrantsOfPeople = endpoint('GET organization/oauth-grants', {
  needs: 'session',
  role: 'owner',
  query: { cursor: idParameter('next_cursor of the previous page') },
  async handle({ services, session: { organization }, query: { cursor = newest_grant }, now }) {
    const reader = services.store.reader('system')
    const rows = await reader.all(listGrantsOfOrganization, { organization, before: cursor, now })
    const page = rows.slice(0, console_limits.console_page)
    return {
      data: page.map((row) => ({ ...showGrant(row), user: row.user })),
      next_cursor: rows.length > page.length ? (page.at(-1)?.id ?? null) : null,
    }
  },
})

/** Ends the access that a person has given. That of another organization's people answers 404 like none. */
export const endGrantOfPerson = endpoint('DELETE organization/oauth-grants/{id}', {
  needs: 'step_up',
  role: 'owner',
  async handle(context) {
    const { services, session, params } = context
    const { id = '' } = params
    const { organization } = session
    const found = await services.store.reader('system').first(findGrant, { id })
    if (found === undefined || found.organization !== organization) throw noGrant(id)
    const change = { action: 'oauth_grants.delete', realms: [realmOfSession(session, found.mode as Mode)] }
    await commitAsUser(context, change, async ({ tx, now, note }) => {
      const grant = await tx.first(findGrant, { id })
      if (grant === undefined) throw noGrant(id)
      await endGrant(tx, grant, now)
      note({ target: { object: 'oauth_grant', id } })
    })
    services.credentials.forget()
    services.streams.endOf(found.credential)
    return { id, object: 'oauth_grant', deleted: true } as const
  },
})

function noGrant(id: string): Error {
  const message = `No person of the organization has given access with the id "${id}". It may have ended already.`
  return refuse('resource_not_found', { param: 'id', message })
}
