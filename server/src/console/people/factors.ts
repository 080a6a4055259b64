/** Which people have a second factor, for owners of an organization that requires one. */
import type { Services } from '../../api/services.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { ActiveSession } from '../sessions/session.ts'
import type { Person } from '../shapes.ts'

const withApp = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('authenticators', 'authenticators.account', 'account_memberships.account')
    .select('account_memberships.user')
    .where('account_memberships.organization', '=', p('organization')),
)

const withPasskey = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('passkeys', 'passkeys.account', 'account_memberships.account')
    .select('account_memberships.user')
    .distinct()
    .where('account_memberships.organization', '=', p('organization')),
)

/** People with a present session in which a provider has vouched for a second factor. */
const vouched = query((db, p: Placeholder<{ organization: string; now: number }>) =>
  db
    .selectFrom('sessions')
    .select('sessions.user')
    .distinct()
    .where('organization', '=', p('organization'))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .where('second_factor_at', 'is not', null)
    .where('second_factor_provider', 'is not', null),
)

/** The factor of each person with an account; null for everyone if the session may not see it, or none is required. */
export async function factorsOfPeople(
  { store }: Pick<Services, 'store'>,
  { organization, role, secondFactor }: ActiveSession,
  now: number,
): Promise<(user: string) => Person['second_factor']> {
  if (role !== 'owner' || !secondFactor.required) return () => null
  // Factors belong to accounts, which no organization owns.
  const reader = store.reader('system')
  const own = [...(await reader.all(withApp, { organization })), ...(await reader.all(withPasskey, { organization }))]
  const byUser = new Map<string, Person['second_factor']>()
  for (const { user } of await reader.all(vouched, { organization, now })) byUser.set(user, 'provider')
  for (const { user } of own) byUser.set(user, 'own')
  return (user) => byUser.get(user) ?? 'none'
}
