/** All SQL about authenticator apps and recovery codes. */
import { literal, type Placeholder, query } from '../../db/query.ts'
import type { Tx } from '../../db/store.ts'

export const findAuthenticator = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('authenticators').selectAll().where('account', '=', p('account')),
)

export const deleteAuthenticator = query((db, p: Placeholder<{ account: string }>) =>
  db.deleteFrom('authenticators').where('account', '=', p('account')),
)

/** No row if the code of this period, or of a later one, was used before. */
export const markStepUsed = query((db, p: Placeholder<{ step: number; account: string }>) =>
  db
    .updateTable('authenticators')
    .set({ last_step: p('step') })
    .where('account', '=', p('account'))
    .where('last_step', '<', p('step')),
)

export const listRecoveryCodes = query((db, p: Placeholder<{ account: string }>) =>
  db.selectFrom('recovery_codes').select('digest').where('account', '=', p('account')),
)

/** No row if the account has no such code. */
export const deleteRecoveryCode = query((db, p: Placeholder<{ account: string; digest: string }>) =>
  db.deleteFrom('recovery_codes').where('account', '=', p('account')).where('digest', '=', p('digest')),
)

export const deleteRecoveryCodes = query((db, p: Placeholder<{ account: string }>) =>
  db.deleteFrom('recovery_codes').where('account', '=', p('account')),
)

/** An organization that requires a second factor of the account. */
export const findRequiring = query((db, p: Placeholder<{ account: string }>) =>
  db
    .selectFrom('account_memberships')
    .innerJoin('organizations', 'organizations.organization', 'account_memberships.organization')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'account_memberships.organization')
        .onRef('members.user', '=', 'account_memberships.user'),
    )
    .select('organizations.name')
    .where('account_memberships.account', '=', p('account'))
    .where('members.status', '=', 'active')
    .where('organizations.second_factor_required', '=', 1)
    .limit(literal(1)),
)

/** Sessions of the organization that have not proved a second factor. */
export const listUnproved = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('organization', '=', p('organization'))
    .where('ended_at', 'is', null)
    .where('second_factor_at', 'is', null),
)

/** Deletes app and recovery codes of an account. */
export function deleteSecondFactor(tx: Tx, account: string): void {
  tx.write(deleteAuthenticator, { account })
  tx.write(deleteRecoveryCodes, { account })
}
