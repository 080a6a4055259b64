import { limits } from '../../lib/limits.ts'
import { endpoint } from '../endpoint.ts'
import { showPerson } from './person.ts'
import { listLastSeen, listMembers, listMembershipsOf } from './queries.ts'

/** The organization's people, the first who joined first. */
export const listPeople = endpoint('GET people', {
  needs: 'session',
  async handle({ services, session: { organization } }) {
    const reader = services.store.reader({ organization, realms: [] })
    const members = await reader.all(listMembers, { organization })
    const memberships = await reader.all(listMembershipsOf, { organization })
    const seen = await reader.all(listLastSeen, { organization })
    const byUser = new Map(memberships.map((row) => [row.user, row]))
    const lastSeen = new Map(seen.map((row) => [row.user, row.last_seen]))
    return {
      data: members
        .slice(0, limits.directory_max)
        .map((row) => showPerson(row, byUser.get(row.user), lastSeen.get(row.user) ?? null)),
      has_more: members.length > limits.directory_max,
    }
  },
})
