import type { GuestAccess } from '../../api/declare/caller.ts'
import type { Reader } from '../../db/store.ts'
import { peopleSeenBy } from '../../resources/members/shared/people-of-guest.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { listTeamsOfOrganization } from '../scim/queries.ts'
import { callerOfSession } from '../sessions/session.ts'
import type { Directory } from '../shapes.ts'
import { projectsOfGuests } from './guest-projects.ts'
import { listFlows, listFormerTeams, listKeys, listMembers, membershipsOfOrganization } from './queries.ts'

/** Maps the ids in events and logs to the names of users, keys, flows and applications. */
export const retrieveDirectory = endpoint('GET directory', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter },
  async handle({ services, session, query }) {
    const { organization } = session
    const caller = callerOfSession(session, query.mode ?? 'live')
    const { realm } = caller
    const reader = services.store.reader({ organization, realms: [realm] })
    const seen = await peopleSeenBy(reader, caller)
    const members = (await reader.all(listMembers, { organization })).filter(({ user }) => seen?.has(user) ?? true)
    // Keys and flows are the organization's.
    const credentials = seen === null ? await reader.all(listKeys, { realm }) : []
    const flows = seen === null ? await reader.all(listFlows, { realm }) : []
    const guests = await projectsOfGuests(reader, organization, realm)
    const has_more = [members, credentials, flows].some((rows) => rows.length > console_limits.directory_max)
    const applications = new Set(
      credentials
        .filter((row) => row.owner_type === 'application' && row.deleted_at === null)
        .map((row) => row.owner_id),
    )
    return {
      people: members.slice(0, console_limits.directory_max).map((row) => ({
        id: row.user,
        name: nameOf(row),
        email: row.email,
        initials: initialsOf(nameOf(row)),
        status: row.status,
        guest_of: projectsShown(guests.get(row.user), caller.guest),
      })),
      service_user: { id: session.serviceUser, name: 'API' },
      keys: credentials
        .filter((row) => row.kind === 'api_key')
        .slice(0, console_limits.directory_max)
        .map((row) => ({ id: row.id, name: row.name, owner: row.owner_id, is_deleted: row.deleted_at !== null })),
      flows: flows.slice(0, console_limits.directory_max).map(({ id, name }) => ({ id, name })),
      applications: [...applications].map((id) => ({ id, name: id })),
      teams: seen === null ? await teamsOf(reader, organization) : [],
      former_teams: seen === null ? await reader.all(listFormerTeams, { organization }) : [],
      has_more,
    }
  },
})

/** The teams with their people, as far as the bound of memberships. */
async function teamsOf(reader: Reader, organization: string): Promise<Directory['teams']> {
  const teams = await reader.all(listTeamsOfOrganization, { organization })
  const memberships = teams.length === 0 ? [] : await reader.all(membershipsOfOrganization, { organization })
  const byTeam = Map.groupBy(memberships, ({ team }) => team)
  return teams.map(({ id, name }) => ({ id, name, people: (byTeam.get(id) ?? []).map(({ user }) => user) }))
}

/** The projects of a guest, as far as the reader sees them; null of any other person. */
function projectsShown(projects: readonly string[] | undefined, reader: GuestAccess | null): string[] | null {
  return projects?.filter((id) => reader === null || reader.projects.has(id)) ?? null
}

interface PersonName {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly email: string | null
}

export function nameOf({ first_name, last_name, email }: PersonName): string {
  const name = [first_name, last_name].filter((part) => part !== null && part !== '').join(' ')
  return name !== '' ? name : (email?.split('@')[0] ?? 'Unnamed user')
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '')
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words
  return letters.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
