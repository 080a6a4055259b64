/** Creates comments for the API and automations, so that both follow the same rules. */
import type { Tenant } from '../../../api/declare/caller.ts'
import type { CommentRow, TaskRow } from '../../../db/schema.ts'
import { newId } from '../../../lib/ids.ts'
import { storedMentions } from '../../../text/mentions.ts'
import { changeAttachments } from '../../files/shared/attachments.ts'
import { requireActive } from '../../tasks/shared/change.ts'
import type { TaskWork } from '../../tasks/shared/create.ts'
import { showComment } from '../comment.ts'
import { commentCreated } from '../events.ts'

/**
 * Creates a comment, emits `workflow.comment.created` and returns the row. `created` (milliseconds) is earlier than now if
 * the comment comes from another system. The caller has checked `attachments`, ids of files.
 */
export function createComment(
  { tx, caller, now, emit }: Omit<TaskWork, 'caller'> & { readonly caller: Tenant },
  task: TaskRow,
  body: string,
  author: { readonly type: string; readonly id: string },
  { created = now, attachments = [] }: { readonly created?: number; readonly attachments?: readonly string[] } = {},
): CommentRow {
  requireActive(task)
  const row = {
    realm: caller.realm,
    id: newId('cmt', now),
    created,
    updated: now,
    revision: 1,
    deleted_at: null,
    workspace: task.workspace,
    task: task.id,
    body,
    mentions: storedMentions(body),
    author_type: author.type,
    author_id: author.id,
    edited_at: null,
    attachments: JSON.stringify(attachments),
  }
  tx.insert('comments', row)
  changeAttachments(tx, row.realm, { object: 'comment', id: row.id }, '[]', row.attachments)
  emit(commentCreated, showComment(row))
  return row
}
