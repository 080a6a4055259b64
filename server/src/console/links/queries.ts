/** All SQL about links that let people in. */
import { type Query, query } from '../../db/query.ts'

export const findLink = query((db, p) => db.selectFrom('account_links').selectAll().where('digest', '=', p('digest')))

export const useLink: Query<unknown> = query((db, p) =>
  db
    .updateTable('account_links')
    .set({ used_at: p('now') })
    .where('id', '=', p('id'))
    .where('used_at', 'is', null),
)

/** Links of one person that nobody has used: a new one, and whoever is shut out, ends them. */
export const removeUnused: Query<unknown> = query((db, p) =>
  db
    .deleteFrom('account_links')
    .where('organization', '=', p('organization'))
    .where('user', '=', p('user'))
    .where('used_at', 'is', null),
)

export const findMemberByUser = query((db, p) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')).where('user', '=', p('user')),
)

export const findMemberByEmail = query((db, p) =>
  db
    .selectFrom('members')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', p('email'))),
)
