/** The access that the organization's people have given to applications, for owners: they see all of it and can end each. */
import { refuse } from '../../api/declare/errors.ts'
import { idParameter } from '../../api/declare/parameters.ts'
import { endpoint } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import { showGrant } from './authorized.ts'
import { endGrantAs } from './end-grant.ts'
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
    const found = await services.store.reader('system').first(findGrant, { id })
    if (found?.organization === session.organization) return await endGrantAs(context, found)
    const message = `No person of the organization has given access with the id "${id}". It may have ended already.`
    throw refuse('resource_not_found', { param: 'id', message })
  },
})
