/** The people of a team, as the pages read them. */
import type { TeamMember } from '@atrium/sdk'
import { useAll } from '../../data/index.ts'

/** What shows teams. */
export const teams_shown = ['GET teams', 'GET directory'] as const

/** People of a team; the server has the same bound. */
const people_max = 1000

/** The one added last first. */
export function useTeamMembers(team: string) {
  return useAll<TeamMember>('team_member', { team }, (atrium) => atrium.teams.members.list(team, { limit: 100 }), {
    max: people_max,
  })
}
