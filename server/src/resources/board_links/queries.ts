/** SQL of links for guests and of their guests. */
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardCommentRow, BoardGuestRow, BoardLinkRow } from '../../db/schema.ts'

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

/** Changes with every comment that is written, changed or deleted on a board. */
export const stateOfComments = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_comments')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.count<number>('deleted_at').as('deleted'),
      eb.fn.sum<number>('revision').as('revisions'),
    ])
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board')),
)

/** The comments of a board before an id, newest first. */
export const commentsBefore = query<BoardCommentRow, { realm: number; board: string; before: string; count: number }>(
  (db, p) =>
    db
      .selectFrom('board_comments')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('board', '=', p('board'))
      .where('id', '<', p('before'))
      .where('deleted_at', 'is', null)
      .orderBy('id', 'desc')
      .limit(p('count')),
)

/** The comment that a guest wrote with a key, deleted ones included. */
export const commentOfKey = query<BoardCommentRow, { realm: number; guest_key: string }>((db, p) =>
  db.selectFrom('board_comments').selectAll().where('realm', '=', p('realm')).where('guest_key', '=', p('guest_key')),
)

/**
 * Who of the guests of a board wrote comments after `since`, oldest first, deleted ones included. No comment of that time has an id
 * below `from`, which bounds the scan; one with a later id can be older, because ids rise also when the clock goes back.
 */
export const guestCommentsSince = query(
  (db, p: Placeholder<{ realm: number; board: string; from: string; since: number; count: number }>) =>
    db
      .selectFrom('board_comments')
      .select(['author_id', 'created'])
      .where('realm', '=', p('realm'))
      .where('board', '=', p('board'))
      .where('id', '>=', p('from'))
      .where('created', '>', p('since'))
      .where('guest', 'is not', null)
      .orderBy('id')
      .limit(p('count')),
)

export const countOfGuests = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_comments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('guest', 'is not', null)
    .where('deleted_at', 'is', null),
)

/** The images that guests have added to a board. */
export const guestImages = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_images')
    .innerJoin('board_assets', (join) =>
      join
        .onRef('board_assets.realm', '=', 'board_images.realm')
        .onRef('board_assets.sha256', '=', 'board_images.sha256'),
    )
    .select('board_assets.size_bytes')
    .where('board_images.realm', '=', p('realm'))
    .where('board_images.board', '=', p('board'))
    .where('board_images.guest', 'is not', null),
)
