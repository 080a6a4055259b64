/** All SQL about sessions, their cookies and tokens. */
import { type Placeholder, query } from '../../db/query.ts'

/** A session by a current or replaced cookie, joined with its account, membership, member and organization. */
export const findSessionByCookie = query((db, p: Placeholder<{ digest: string }>) =>
  db
    .selectFrom('session_cookies')
    .innerJoin('sessions', 'sessions.id', 'session_cookies.session')
    .innerJoin('accounts', 'accounts.id', 'sessions.account')
    .innerJoin('account_memberships', (join) =>
      join
        .onRef('account_memberships.organization', '=', 'sessions.organization')
        .onRef('account_memberships.account', '=', 'sessions.account'),
    )
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'sessions.organization')
    .select(['session_cookies.created as cookie_created', 'session_cookies.replaced_at', 'sessions.id'])
    .select(['sessions.organization', 'sessions.account', 'sessions.created', 'sessions.last_seen'])
    .select(['sessions.expires_at', 'sessions.stepped_up_at', 'sessions.ended_at', 'accounts.email'])
    .select(['account_memberships.role', 'account_memberships.user', 'members.status'])
    .select(['organizations.plan', 'organizations.service_user'])
    .select(['accounts.password_changed_at', 'accounts.email_proved_at', 'sessions.provider'])
    .leftJoin('authenticators', 'authenticators.account', 'sessions.account')
    .select(['organizations.second_factor_required', 'sessions.second_factor_at', 'sessions.second_factor_provider'])
    .select(['authenticators.last_step'])
    .select((eb) =>
      eb
        .selectFrom('passkeys')
        .select((inner) => inner.fn.min('passkeys.created').as('first'))
        .whereRef('passkeys.account', '=', 'sessions.account')
        .as('passkey_since'),
    )
    .where('session_cookies.digest', '=', p('digest')),
)

export const findRealms = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('realms').select(['realm', 'mode']).where('organization', '=', p('organization')).orderBy('realm'),
)

export const markCookieReplaced = query((db, p: Placeholder<{ now: number | null; digest: string }>) =>
  db
    .updateTable('session_cookies')
    .set({ replaced_at: p('now') })
    .where('digest', '=', p('digest'))
    .where('replaced_at', 'is', null),
)

export const updateLastSeen = query((db, p: Placeholder<{ now: number; id: string }>) =>
  db
    .updateTable('sessions')
    .set({ last_seen: p('now') })
    .where('id', '=', p('id'))
    .where('last_seen', '<', p('now')),
)

/** `provider` vouched for it; null if it was proved here. */
export const updateSecondFactor = query(
  (db, p: Placeholder<{ now: number | null; provider: string | null; id: string }>) =>
    db
      .updateTable('sessions')
      .set({ second_factor_at: p('now'), second_factor_provider: p('provider') })
      .where('id', '=', p('id')),
)

/** A provider vouched for it. A proof that was given here stays: it counts in all organizations of the account. */
export const updateVouched = query((db, p: Placeholder<{ now: number | null; provider: string | null; id: string }>) =>
  db
    .updateTable('sessions')
    .set({ second_factor_at: p('now'), second_factor_provider: p('provider') })
    .where('id', '=', p('id'))
    .where((or) => or.or([or('second_factor_at', 'is', null), or('second_factor_provider', 'is not', null)])),
)

export const findProof = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('sessions')
    .select(['second_factor_at', 'second_factor_provider'])
    .where('id', '=', p('id'))
    .where('ended_at', 'is', null),
)

/** Ends the proofs that the account's sessions have given here, except in one session. */
export const forgetProofs = query((db, p: Placeholder<{ account: string; except: string }>) =>
  db
    .updateTable('sessions')
    .set({ second_factor_at: null })
    .where('account', '=', p('account'))
    .where('id', '!=', p('except'))
    .where('ended_at', 'is', null)
    .where('second_factor_at', 'is not', null)
    .where('second_factor_provider', 'is', null),
)

export const updateStepUp = query((db, p: Placeholder<{ now: number; id: string }>) =>
  db
    .updateTable('sessions')
    .set({ stepped_up_at: p('now'), last_seen: p('now') })
    .where('id', '=', p('id')),
)

/** The account's active sessions, the most recently used first. */
export const listActiveSessions = query((db, p: Placeholder<{ account: string; now: number; idle_since: number }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('organizations', 'organizations.organization', 'sessions.organization')
    .select(['sessions.id', 'sessions.organization', 'sessions.user', 'organizations.name'])
    .select(['sessions.created', 'sessions.last_seen', 'sessions.expires_at', 'sessions.ip', 'sessions.user_agent'])
    .where('sessions.account', '=', p('account'))
    .where('sessions.ended_at', 'is', null)
    .where('sessions.expires_at', '>', p('now'))
    .where('sessions.last_seen', '>', p('idle_since'))
    .orderBy('sessions.last_seen', 'desc')
    .orderBy('sessions.id', 'desc'),
)

/** An account's sessions in one organization. */
export const listSessionsOfMember = query((db, p: Placeholder<{ organization: string; account: string }>) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('organization', '=', p('organization'))
    .where('account', '=', p('account'))
    .where('ended_at', 'is', null),
)

export const markSessionEnded = query((db, p: Placeholder<{ now: number | null; id: string }>) =>
  db
    .updateTable('sessions')
    .set({ ended_at: p('now') })
    .where('id', '=', p('id'))
    .where('ended_at', 'is', null),
)

export const deleteSessionTokens = query((db, p: Placeholder<{ session: string }>) =>
  db.deleteFrom('session_tokens').where('session', '=', p('session')),
)

export const deleteExpiredTokens = query((db, p: Placeholder<{ session: string; now: number }>) =>
  db.deleteFrom('session_tokens').where('session', '=', p('session')).where('expires_at', '<=', p('now')),
)

/** The session's tokens, the newest first. */
export const listSessionTokens = query((db, p: Placeholder<{ session: string }>) =>
  db
    .selectFrom('session_tokens')
    .select(['digest'])
    .where('session', '=', p('session'))
    .orderBy('created', 'desc')
    .orderBy('digest'),
)

export const deleteSessionToken = query((db, p: Placeholder<{ digest: string }>) =>
  db.deleteFrom('session_tokens').where('digest', '=', p('digest')),
)

/** The account's active memberships, the oldest first, each with the time it was last used. */
export const listMemberships = query((db, p: Placeholder<{ account: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .innerJoin('organizations', 'organizations.organization', 'account_memberships.organization')
    .select(['account_memberships.organization', 'account_memberships.user', 'account_memberships.role'])
    .select(['organizations.name'])
    .select((eb) =>
      eb
        .selectFrom('sessions')
        .select((inner) => inner.fn.max('sessions.last_seen').as('last_seen'))
        .whereRef('sessions.account', '=', 'account_memberships.account')
        .whereRef('sessions.organization', '=', 'account_memberships.organization')
        .as('last_seen'),
    )
    .where('account_memberships.account', '=', p('account'))
    .where('members.status', '=', 'active')
    .orderBy('account_memberships.created')
    .orderBy('account_memberships.organization'),
)

export const listSessionsOfAccount = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('sessions').select('id').where('account', '=', p('account')).where('ended_at', 'is', null),
)
