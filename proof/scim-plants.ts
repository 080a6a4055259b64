/** Faults planted in provisioning, each with the test in `server/test/console/scim.test.ts` that has to notice it. */
import type { Guard } from './guards.ts'
import { fault, replace } from './planted-fault.ts'

const users = 'server/src/console/scim/users.ts'
const queries = 'server/src/console/scim/queries.ts'
const provider = 'server/src/console/scim/provider.ts'
const user = 'server/src/console/scim/user.ts'
const body = 'server/src/console/scim/body.ts'
const filter = 'server/src/console/scim/filter.ts'
const format = 'server/src/api/declare/credential-format.ts'

const groups = 'server/src/console/scim/groups.ts'
const group = 'server/src/console/scim/group.ts'
const group_patch = 'server/src/console/scim/group-patch.ts'
const group_list = 'server/src/console/scim/group-list.ts'
const team_people = 'server/src/resources/team_members/shared/people.ts'

/** The same for groups, in `server/test/console/scim-groups.test.ts`. */
export const scim_group_faults: readonly Guard[] = [
  [
    'creates, finds, changes and deletes a group as Okta does',
    fault('emptied_group', 'a change of the name by PUT empties the group', 1, [
      replace(group, 'const read = { externalId: null, ...', 'const read = { externalId: null, members: [], ...'),
    ]),
  ],
  [
    'creates, finds, changes and deletes a group as Okta does',
    fault('kept_people', 'a deleted team keeps its people', 1, [
      replace(team_people, '  for (const row of people) removeFromTeam(change, row)\n', ''),
    ]),
  ],
  [
    'creates, finds and changes a group as Entra ID does',
    fault('all_removed', 'removing one member by its value removes all', 1, [
      replace(group_patch, 'value === undefined || value === null ?', "typeof value !== 'string' ?"),
    ]),
  ],
  [
    'creates, finds and changes a group as Entra ID does',
    fault('loose_filter', 'a filter with `and` takes its first part only', 1, [
      replace(
        group_list,
        "filter.op === 'and' ? filter.filters :",
        "filter.op === 'and' ? filter.filters.slice(0, 1) :",
      ),
    ]),
  ],
  [
    'keep a deactivated person, and lose a deleted one in the same commit',
    fault('ghost', 'a deleted person stays in the groups', 1, [
      replace(users, '    await leaveTeams(writing, writing.organization, id)\n', ''),
    ]),
  ],
  [
    'say what is wrong with a request, by attribute and value, and then nothing is changed',
    fault('unknown_member', 'an id that names no user is added to a group', 1, [
      replace(groups, 'if (missing !== undefined) throw', "if (missing === '') throw"),
    ]),
  ],
  [
    'know nothing of another organization, byte for byte',
    fault('foreign_member', 'people of another organization are added to a group', 1, [
      replace(
        queries,
        "    .where('members.organization', '=', p('organization'))\n    .where(isOneOf(dialect, 'members.user'",
        "    .where((is) => is.or([is('members.organization', '=', p('organization')), is('members.organization', '<>', '')]))\n    .where(isOneOf(dialect, 'members.user'",
      ),
    ]),
  ],
  [
    'have a bound of people, over several requests',
    fault('endless_group', 'a group grows beyond the bound by several requests', 1, [
      replace(groups, '    requireBound(group.members.length)\n', ''),
    ]),
  ],
]

export const scim_faults: readonly Guard[] = [
  [
    'ends sessions and tokens of a deactivated person at once, and keeps the only owner',
    fault('last_owner', 'a provider can deactivate the only owner', 1, [
      replace(
        users,
        "if (!fields.active && before.status !== 'inactive') await",
        "if (before.status === 'gone') await",
      ),
    ]),
  ],
  [
    'ends sessions and tokens of a deactivated person at once, and keeps the only owner',
    fault('late_end', 'tokens of a deactivated person stay in the cache', 1, [
      replace(users, '  services.credentials.forget()\n', ''),
      replace(users, '  evictSessions(services, ended)\n', '  evictSessions(services, ended.slice(ended.length))\n'),
    ]),
  ],
  [
    'gives nothing of a deleted person to the next one with the address',
    fault('heir', 'a deleted person keeps the account in the organization', 1, [
      replace(users, '    writing.end(await endMembership(writing.tx, writing.organization, id, writing.now))\n', ''),
    ]),
  ],
  [
    'sees a deleted person again who is activated or invited in the console',
    fault('hidden_again', 'a deleted person who was activated again is out of reach of the provider', 1, [
      replace(queries, "deleted_at !== null && status === 'inactive'", "deleted_at !== null && status !== 'gone'"),
    ]),
  ],
  [
    'knows nothing of another organization, byte for byte',
    fault('foreign_user', 'a provider reaches people of another organization', 1, [
      replace(
        queries,
        "      .where('members.organization', '=', p('organization'))\n      .where(column, '=', p('value')),",
        "      .where('members.organization', '<>', p('organization'))\n      .where(column, '=', p('value')),",
      ),
    ]),
  ],
  [
    'creates, finds, changes and deactivates a person as Entra ID does',
    fault('false_text', 'the text False is true', 1, [
      replace(user, "word === false || word === 'false'", 'word === false'),
    ]),
  ],
  [
    'needs a token of its own, made by an owner, shown once, and good for nothing else',
    fault('token_in_url', 'a token in a URL is accepted', 1, [
      replace(
        format,
        'const traces = /(atr_(?:at_)?(?:live|test|scim)_)',
        'const traces = /(atr_(?:at_)?(?:live|test)_)',
      ),
    ]),
  ],
  [
    'says what is wrong with a request, in the form of the protocol',
    fault('lone_surrogate', 'a text with half a character is stored', 1, [
      replace(
        body,
        'parseStrictJson(text, bodyBounds(limits.json_depth_max))',
        '{ ok: true, value: JSON.parse(text) }',
      ),
    ]),
  ],
  [
    'says what is wrong with a request, in the form of the protocol',
    fault('inherited_filter', 'a filter by an inherited property finds a user', 1, [
      replace(filter, 'Object.hasOwn(filterable, name)', "name !== ''"),
    ]),
  ],
  [
    'is bounded: a token has a number of requests a minute, and an organization a number of tokens',
    fault('no_rate', 'requests of a token are not bounded', 1, [
      replace(provider, '  countRequest(row.id, now)\n', ''),
    ]),
  ],
]
