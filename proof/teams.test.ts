import { tryGuards } from './guards.ts'
import { console_team_faults, id_token_faults, team_faults } from './team-plants.ts'

tryGuards('people of teams', 'server/src/resources/team_members/team_members.test.ts', team_faults)
tryGuards('teams in the console', 'server/test/console/teams.test.ts', console_team_faults)
tryGuards('the sign-out at a provider', 'server/test/console/openid.test.ts', id_token_faults)
