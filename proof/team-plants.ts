/** Faults planted in teams and in the sign-out at a provider, each with the test that has to notice it. */
import type { Guard } from './guards.ts'
import { fault, replace } from './planted-fault.ts'

const references = 'server/src/resources/tasks/filter/references.ts'

/** In `server/src/resources/team_members/team_members.test.ts`. */
export const team_faults: readonly Guard[] = [
  [
    'adds a person once, in the logs of both realms, and leaves the team as it is',
    fault('one_realm', 'a change of what both realms share is in one log only', 1, [
      replace('server/src/api/pipeline.ts', 'operation.inBothRealms ? await bothRealms(services, caller) :', ''),
    ]),
  ],
  [
    'accepts invited people and refuses inactive and foreign ones; who is deactivated stays in the team',
    fault('inactive_person', 'an inactive person is added to a team', 1, [
      replace('server/src/resources/team_members/create.ts', "member.status === 'inactive'", "member.status === ''"),
    ]),
  ],
  [
    'selects the tasks of its people in filters',
    fault('former_people', 'a filter by a team finds the tasks of people who have left it', 1, [
      replace(
        'server/src/resources/team_members/shared/queries.ts',
        "    .where('deleted_at', 'is', null)\n    .orderBy('id')\n",
        "    .orderBy('id')\n",
      ),
    ]),
  ],
]

/** In `server/test/console/teams.test.ts`. */
export const console_team_faults: readonly Guard[] = [
  [
    'are closed to members, to guests and to other organizations',
    fault('guest_filter', 'a guest learns by a filter who is in a team', 1, [
      replace(references, "  if (guestOf(tenant) !== null) return { kind: 'constant', holds: false }\n", ''),
    ]),
  ],
  [
    'are closed to members, to guests and to other organizations',
    fault('guest_names', 'a guest learns the names of teams by a filter', 1, [
      replace(
        references,
        "  if (isIdFor('team', text)) return [{ id: text }]\n  if (guestOf(tenant) !== null) return []\n",
        "  if (isIdFor('team', text)) return [{ id: text }]\n",
      ),
    ]),
  ],
]

/** In `server/test/console/openid.test.ts`. */
export const id_token_faults: readonly Guard[] = [
  [
    'keeps the ID token of a sign-in sealed, no longer than its session, also in another organization',
    fault('clear_token', 'an ID token is stored as it is', 1, [
      replace(
        'server/src/console/sessions/id-token.ts',
        'sealer.seal(token, idTokenContext(id))',
        'token + sealer.seal(token, idTokenContext(id))',
      ),
    ]),
  ],
  [
    'keeps the ID token of a sign-in sealed, no longer than its session, also in another organization',
    fault('left_token', 'an ID token outlives its session', 1, [
      replace('server/src/console/sessions/lifecycle.ts', '  tx.write(deleteIdToken, { session: id })\n', ''),
    ]),
  ],
  [
    'signs out at the provider too, if it started the session and has a page for that',
    fault('no_hint', 'the provider does not learn whose session ends', 1, [
      replace(
        'server/src/egress/openid-provider.ts',
        'parameters.id_token_hint = idToken',
        "parameters.logout_hint = 'unknown'",
      ),
    ]),
  ],
]
