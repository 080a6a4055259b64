import { endpoint } from '../endpoint.ts'
import { console_limits } from '../limits.ts'
import { factorsOfPeople } from './factors.ts'
import { projectsOfGuests } from './guest-projects.ts'
import { showPerson } from './person.ts'
import { listLastSeen, listMembers, listMemberships } from './queries.ts'

/** Lists the organization's members, the oldest first. */
export const listPeople = endpoint('GET people', {
  needs: 'session',
  async handle({ services, session, now }) {
    const { organization } = session
    const reader = services.store.reader({ organization, realms: session.realms.map(({ realm }) => realm) })
    const members = await reader.all(listMembers, { organization })
    const memberships = await reader.all(listMemberships, { organization })
    const seen = await reader.all(listLastSeen, { organization })
    const chosen = new Map<string, string[]>()
    for (const { realm } of session.realms) {
      for (const [user, projects] of await projectsOfGuests(reader, organization, realm))
        chosen.set(user, [...(chosen.get(user) ?? []), ...projects])
    }
    const factorOf = await factorsOfPeople(services, session, now)
    const byUser = new Map(memberships.map((row) => [row.user, row]))
    const lastSeen = new Map(seen.map((row) => [row.user, row.last_seen]))
    return {
      data: members
        .slice(0, console_limits.directory_max)
        .map((row) =>
          showPerson(
            ...([row, byUser.get(row.user), lastSeen.get(row.user) ?? null, chosen.get(row.user) ?? []] as const),
            byUser.has(row.user) ? factorOf(row.user) : null,
          ),
        ),
      has_more: members.length > console_limits.directory_max,
    }
  },
})
