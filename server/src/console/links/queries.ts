/** All SQL about account links. */
import { type Placeholder, query } from '../../db/query.ts'

export const findLink = query((db, p: Placeholder<{ digest: string }>) =>
  db
    .selectFrom('account_links')
    .selectAll()
    .where((or) => or.or([or('digest', '=', p('digest')), or('mailed_digest', '=', p('digest'))])),
)

export const markLinkUsed = query((db, p: Placeholder<{ now: number | null; id: string }>) =>
  db
    .updateTable('account_links')
    .set({ used_at: p('now') })
    .where('id', '=', p('id'))
    .where('used_at', 'is', null),
)

/** A member's open invitation or other link, the newest first. */
export const findOpenLink = query((db, p: Placeholder<{ organization: string; user: string; now: number }>) =>
  db
    .selectFrom('account_links')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('account', 'is', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', p('now'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** Deletes a member's unused links: a new link replaces them, and deactivation revokes them. */
export const deleteUnusedLinks = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db
    .deleteFrom('account_links')
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('used_at', 'is', null),
)

export const findMemberByUser = query((db, p: Placeholder<{ organization: string; user: string }>) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')).where('user', '=', p('user')),
)

export const findMemberByEmail = query((db, p: Placeholder<{ organization: string; email: string }>) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', p('email'))),
)

/** Deletes the unused links of an account: one of them was used. */
export const deleteLinksOfAccount = query((db, p: Placeholder<{ account: string; kind: string }>) =>
  db
    .deleteFrom('account_links')
    .where('account', '=', p('account'))
    .where('kind', '=', p('kind'))
    .where('used_at', 'is', null),
)
