/** SQL of the comments on boards: how many there are, and those of a thread. */
import { type Placeholder, query } from '../../db/query.ts'
import type { BoardCommentRow } from '../../db/schema.ts'

export const countOfBoard = query((db, p: Placeholder<{ realm: number; board: string }>) =>
  db
    .selectFrom('board_comments')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm'))
    .where('board', '=', p('board'))
    .where('deleted_at', 'is', null),
)

/** A thread has at most `board_thread_comments_max` comments. */
export const commentsOfThread = query<BoardCommentRow, { realm: number; thread: string }>((db, p) =>
  db
    .selectFrom('board_comments')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('thread', '=', p('thread'))
    .where('deleted_at', 'is', null)
    .orderBy('id'),
)
