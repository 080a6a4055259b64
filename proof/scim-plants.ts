/** Faults planted in provisioning, each with the test in `server/test/console/scim.test.ts` that has to notice it. */
import type { Guard } from './guards.ts'
import { fault, replace } from './planted-fault.ts'

const users = 'server/src/console/scim/users.ts'
const queries = 'server/src/console/scim/queries.ts'
const provider = 'server/src/console/scim/provider.ts'
const user = 'server/src/console/scim/user.ts'
const filter = 'server/src/console/scim/filter.ts'
const format = 'server/src/api/declare/credential-format.ts'

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
      replace(user, ' || !value.isWellFormed())', ')'),
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
