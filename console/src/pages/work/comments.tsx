/** The conversation on a task, oldest first. One's own comments can be changed and deleted. */
import type { AuditEntry, Comment, Task } from '@atrium/sdk'
import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { patch, remove, useDirectory, useList, useSession, useWrite } from '../../data/index.ts'
import { Avatar, Button, IconButton, Menu, RelativeTime, SkeletonLines, TextArea } from '../../design/index.ts'
import { useDraft } from './drafts.ts'
import { useEscape } from './escape.ts'

const body_chars_max = 65_536
/** Comments whose writers are asked for. */
const targets_max = 100

export function Comments({ task }: { readonly task: Task }) {
  const list = useList<Comment>('comment', { task: task.id }, (atrium, cursor) =>
    atrium.tasks.comments.list(task.id, { limit: 100, starting_after: cursor }),
  )
  const writers = useWriters(list.rows)
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} plain />
  if (list.rows === undefined) return <SkeletonLines lines={3} />
  return (
    <div className="stack">
      {list.hasMore && (
        <Button size="s" busy={list.isLoadingMore} onClick={list.more}>
          Show earlier comments
        </Button>
      )}
      <ul className="comments" aria-label="Comments">
        {list.rows.toReversed().map((comment) => (
          <CommentView key={comment.id} comment={comment} author={writers.get(comment.id) ?? comment.author.id} />
        ))}
      </ul>
      <NewComment task={task} />
    </div>
  )
}

/** The API's author of every comment is the organization's service user; the audit log knows who wrote it. */
function useWriters(comments: readonly Comment[] | undefined): ReadonlyMap<string, string> {
  const target = (comments ?? []).slice(0, targets_max).map(({ id }) => id)
  const { rows } = useList<AuditEntry>(
    'audit_entry',
    { writers: target },
    (atrium) => atrium.auditLogs.list({ action: 'task_comments.create', target, limit: 100 }),
    { enabled: target.length > 0 },
  )
  return new Map(rows?.map((entry) => [entry.target.id, entry.actor.id]))
}

interface CommentViewProps {
  readonly comment: Comment
  /** Who wrote it. */
  readonly author: string
}

function CommentView({ comment, author }: CommentViewProps) {
  const { user } = useSession()
  const { nameOf } = useDirectory()
  const [text, setText] = useState<string | null>(null)
  const { id, task, body, edited_at } = comment
  const edit = useWrite({
    write: (atrium, next: string) => atrium.tasks.comments.update(task, id, { body: next }),
    changes: (next) => [patch('comment', id, { body: next })],
    done: () => 'Comment changed',
    undo: () => (atrium) => atrium.tasks.comments.update(task, id, { body }),
  })
  const drop = useWrite({
    write: (atrium, _: null) => atrium.tasks.comments.delete(task, id),
    changes: () => [remove('comment', id)],
    done: () => 'Comment deleted',
    undo: () => (atrium) => atrium.tasks.comments.create(task, { workspace: comment.workspace, body }),
  })
  const save = async () => {
    const next = text?.trim() ?? ''
    if (next === '' || next === body) return setText(null)
    if ((await edit.run(next)) !== undefined) setText(null)
  }
  const name = nameOf(author)
  return (
    <li className="comment">
      <Avatar name={name} id={author} size="s" />
      <div className="grow">
        <div className="row">
          <span className="comment-name cut">{name}</span>
          <span className="subtle comment-time">
            <RelativeTime at={comment.created} />
            {edited_at !== null && ', edited'}
          </span>
          <span className="grow" />
          {author === user.id && (
            <Menu
              label="Comment"
              trigger={<IconButton icon={MoreHorizontal} label="More about this comment" size="s" />}
              items={[
                { label: 'Edit', icon: Pencil, onSelect: () => setText(body) },
                { label: 'Delete', icon: Trash2, danger: true, onSelect: () => void drop.run(null) },
              ]}
            />
          )}
        </div>
        {text === null ? (
          <p className="task-text">{body}</p>
        ) : (
          <Writing
            label="Comment"
            action="Save"
            text={text}
            busy={edit.busy}
            onText={setText}
            onSave={() => void save()}
            onCancel={() => setText(null)}
          />
        )}
      </div>
    </li>
  )
}

function NewComment({ task }: { readonly task: Task }) {
  const [text, setText] = useDraft(`comment ${task.id}`)
  const write = useWrite({
    write: (atrium, body: string) => atrium.tasks.comments.create(task.id, { workspace: task.workspace, body }),
    touches: ['comment'],
    toastErrors: false,
  })
  const save = async () => {
    const body = text?.trim() ?? ''
    if (body !== '' && (await write.run(body)) !== undefined) setText(null)
  }
  return (
    <>
      <Writing
        label="Write a comment"
        action="Comment"
        text={text ?? ''}
        busy={write.busy}
        onText={setText}
        onSave={() => void save()}
      />
      <FormError error={write.error} />
    </>
  )
}

interface WritingProps {
  readonly label: string
  readonly action: string
  readonly text: string
  readonly busy: boolean
  readonly onText: (text: string) => void
  readonly onSave: () => void
  readonly onCancel?: () => void
}

function Writing({ label, action, text, busy, onText, onSave, onCancel }: WritingProps) {
  useEscape(onCancel !== undefined, () => onCancel?.())
  return (
    <div className="stack task-writing">
      <TextArea
        aria-label={label}
        placeholder={label}
        autoFocus={onCancel !== undefined}
        rows={2}
        maxLength={body_chars_max}
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.preventDefault()
          event.stopPropagation()
          onSave()
        }}
      />
      {(text !== '' || onCancel) && (
        <div className="row">
          <Button kind="primary" size="s" busy={busy} disabled={text.trim() === ''} onClick={onSave}>
            {action}
          </Button>
          {onCancel && (
            <Button size="s" onClick={onCancel}>
              Cancel
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
