/** Changes and deletes comments on boards, for members and for guests of a link. */
import { applyChange, markDeleted } from '../../../api/write/change.ts'
import type { BoardCommentRow } from '../../../db/schema.ts'
import { storedMentions } from '../../../text/mentions.ts'
import type { BoardWork } from '../../boards/shared/change.ts'
import { isFirst, showBoardComment } from '../board_comment.ts'
import { boardCommentDeleted, boardCommentUpdated } from '../events.ts'
import { commentsOfThread } from '../queries.ts'

/** Changes fields of a comment and emits its event. What is equal changes nothing. */
export function changeComment(
  { tx, now, emit }: BoardWork,
  comment: BoardCommentRow,
  fields: Readonly<Partial<BoardCommentRow>>,
): BoardCommentRow {
  const changed = applyChange(tx, 'board_comments', comment, fields, now)
  if (changed !== null) emit(boardCommentUpdated, showBoardComment(changed), showBoardComment(comment))
  return changed ?? comment
}

/** The fields of a comment with another text; none if it is the same. */
export function textFields(comment: BoardCommentRow, body: string, now: number): Partial<BoardCommentRow> {
  return body === comment.body ? {} : { body, mentions: storedMentions(body), edited_at: now }
}

/** Deletes comments and emits an event each. */
export function deleteComments({ tx, now, emit }: BoardWork, comments: readonly BoardCommentRow[]): void {
  for (const comment of comments) {
    markDeleted(tx, 'board_comments', comment, now)
    emit(boardCommentDeleted, showBoardComment(comment))
  }
}

/** A comment with those that go with it: of a first one the whole thread. */
export async function withThread({ tx }: Pick<BoardWork, 'tx'>, comment: BoardCommentRow): Promise<BoardCommentRow[]> {
  const { realm, thread } = comment
  return isFirst(comment) ? await tx.all(commentsOfThread, { realm, thread }) : [comment]
}
