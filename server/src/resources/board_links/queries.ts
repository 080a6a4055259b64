/** SQL of links for guests and of their guests. */
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardGuestRow, BoardLinkRow } from '../../db/schema.ts'

export const countOfBoard = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('deleted_at', 'is', null),
)

export const linkByDigest = query<BoardLinkRow, { digest: string }>((db, p) =>
  db.selectFrom('board_links').selectAll().where('digest', '=', p('digest')),
)

export const linkById = query<BoardLinkRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('board_links').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

export const guestByDigest = query<BoardGuestRow, { digest: string }>((db, p) =>
  db.selectFrom('board_guests').selectAll().where('digest', '=', p('digest')),
)

export const guestById = query<BoardGuestRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('board_guests').selectAll().where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/** The sessions that began by a link after `since`, the first one first. */
export const startsOf = query((db, p: Placeholder<{ realm: number; link: string; since: number; count: number }>) =>
  db
    .selectFrom('board_guests')
    .select('created')
    .where('realm', '=', p('realm'))
    .where('link', '=', p('link'))
    .where('created', '>', p('since'))
    .orderBy('created')
    .limit(p('count')),
)

export const touchLink = query((db, p: Placeholder<{ realm: number; id: string; now: number }>) =>
  db
    .updateTable('board_links')
    .set({ last_used_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

/** A person who may draw on a board: an active member of the organization who is its owner or editor, and no guest. */
export const editorOf = query(
  (db, p: Placeholder<{ organization: string; realm: number; board: string; user: string }>) =>
    db
      .selectFrom('members')
      .innerJoin('organizations', 'organizations.organization', 'members.organization')
      .innerJoin('board_members', 'board_members.user', 'members.user')
      .leftJoin('account_memberships', (join) =>
        join
          .onRef('account_memberships.organization', '=', 'members.organization')
          .onRef('account_memberships.user', '=', 'members.user'),
      )
      .select(['board_members.role as board_role', 'account_memberships.role', 'organizations.plan'])
      .where('members.organization', '=', p('organization'))
      .where('members.user', '=', p('user'))
      .where('members.status', '=', 'active')
      .where('board_members.realm', '=', p('realm'))
      .where('board_members.board', '=', p('board'))
      .where('board_members.deleted_at', 'is', null),
)

/** A credential of the organization that has not been deleted. */
export const credentialOf = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('credentials')
    .innerJoin('organizations', 'organizations.organization', 'credentials.organization')
    .select(['credentials.scopes', 'credentials.expires_at', 'organizations.plan'])
    .where('credentials.realm', '=', p('realm'))
    .where('credentials.id', '=', p('id'))
    .where('credentials.deleted_at', 'is', null),
)
