/** The comments of a task, oldest first. People edit and delete their own. */
import type { AuditEntry, Comment, Task } from '@atrium/sdk'
import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Attachments } from '../../app/attachments.tsx'
import { type DraftState, useDraft } from '../../app/drafts.ts'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { KeptLines } from '../../app/kept-lines.tsx'
import {
  patch,
  remove,
  useApp,
  useDirectory,
  useHasRole,
  useKeptObjects,
  useList,
  useMode,
  useSession,
  useWrite,
} from '../../data/index.ts'
import { Avatar, Button, IconButton, Menu, RelativeTime, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { CommentEditor } from '../../text/comment-editor.tsx'
import { Markdown } from '../../text/markdown.tsx'
import { useCommentTick } from './ticks.ts'

/** The API's limit of files of a comment. */
const files_max = 50
/** The API's limit of targets in one query of the audit log. */
const targets_max = 100

export function Comments({ task }: { readonly task: Task }) {
  const list = useList<Comment>('comment', { task: task.id }, (atrium, cursor) =>
    atrium.tasks.comments.list(task.id, { limit: 100, starting_after: cursor }),
  )
  const isMember = useHasRole('member')
  const authors = useAuthors(list.rows, isMember)
  const names = useAuthorNames(task.id, list.rows, !isMember)
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} plain />
  if (list.rows === undefined) return <SkeletonLines lines={3} />
  return (
    <div className="stack">
      {list.hasMore && (
        <Button size="s" busy={list.isLoadingMore} onClick={list.loadMore}>
          {t('Show earlier comments')}
        </Button>
      )}
      <ul className="comments" aria-label={t('Comments')}>
        {list.rows.toReversed().map((comment) => (
          <CommentView
            key={comment.id}
            comment={comment}
            author={authors.get(comment.id) ?? names.get(comment.id)?.author ?? comment.author.id}
            knownName={names.get(comment.id)?.name}
          />
        ))}
      </ul>
      <KeptComments task={task} />
      <NewComment task={task} />
    </div>
  )
}

function KeptComments({ task }: { readonly task: Task }) {
  const kept = useKeptObjects(`/v1/tasks/${task.id}/comments`)
  return <KeptLines label={t('Comments not sent yet')} lines={kept.map(({ body }) => String(body))} />
}

/** Read from the audit log: for the API, the author of every comment is the organization's service user. */
function useAuthors(comments: readonly Comment[] | undefined, enabled: boolean): ReadonlyMap<string, string> {
  const target = (comments ?? []).slice(0, targets_max).map(({ id }) => id)
  const { rows } = useList<AuditEntry>(
    'audit_entry',
    { authors: target },
    (atrium) => atrium.auditLogs.list({ action: 'task_comments.create', target, limit: 100 }),
    { enabled: enabled && target.length > 0 },
  )
  return new Map(rows?.map((entry) => [entry.target.id, entry.actor.id]))
}

/** The audit log is closed to guests, who ask for the names alone. */
function useAuthorNames(task: string, comments: readonly Comment[] | undefined, enabled: boolean) {
  const mode = useMode()
  const ids = (comments ?? []).slice(0, targets_max).map(({ id }) => id)
  const { data } = useApp(
    'GET tasks/{id}/comment-authors',
    { params: { id: task }, query: { mode, comments: ids.join(',') } },
    { enabled: enabled && ids.length > 0 },
  )
  return new Map(data?.data.map((each) => [each.comment, each]))
}

function CommentFiles({ comment, isEditing }: { readonly comment: Comment; readonly isEditing: boolean }) {
  const { id, task, workspace, body, attachments } = comment
  const change = useWrite({
    write: (atrium, next: readonly string[]) => atrium.tasks.comments.update(task, id, { body, attachments: next }),
    changes: (next) => [patch('comment', id, { attachments: next })],
  })
  if (!isEditing && attachments.length === 0) return null
  return (
    <Attachments
      label={t('Files of the comment')}
      {...{ workspace, ids: attachments, max: files_max, pastes: false }}
      {...(isEditing && { onChange: change.run })}
    />
  )
}

interface CommentViewProps {
  readonly comment: Comment
  readonly author: string
  /** The author's name, if it is not in the directory. */
  readonly knownName?: string | undefined
}

function CommentView({ comment, author, knownName }: CommentViewProps) {
  const { user } = useSession()
  const { nameOf } = useDirectory()
  const edited = useDraft(`comment ${comment.id}`)
  const isEditing = edited.draft !== null
  const onTick = useCommentTick(comment)
  const name = knownName ?? (isFlow(author) && nameOf(author) === author ? t('Automation') : nameOf(author))
  return (
    <li className="comment">
      <Avatar name={name} id={author} size="s" />
      <div className="grow">
        <div className="row">
          <span className="comment-name cut">{name}</span>
          <span className="subtle comment-time">
            <RelativeTime at={comment.created} />
            {comment.edited_at !== null && t(', edited')}
          </span>
          <span className="grow" />
          {author === user.id && (
            <CommentMenu
              comment={comment}
              onEdit={() => edited.begin({ text: comment.body, base: comment.revision })}
            />
          )}
        </div>
        {isEditing ? (
          <EditComment comment={comment} edited={edited} />
        ) : (
          <Markdown text={comment.body} onTick={author === user.id ? onTick : undefined} />
        )}
        <CommentFiles comment={comment} isEditing={isEditing} />
      </div>
    </li>
  )
}

/** Guests cannot read the names of flows. */
const isFlow = (author: string) => author.startsWith('flow_')

function CommentMenu({ comment, onEdit }: { readonly comment: Comment; readonly onEdit: () => void }) {
  const { id, task, workspace, body } = comment
  const deletion = useWrite({
    write: (atrium, _: null) => atrium.tasks.comments.delete(task, id),
    changes: () => [remove('comment', id)],
    done: () => t('Comment deleted'),
    undo: () => (atrium) => atrium.tasks.comments.create(task, { workspace, body }),
  })
  return (
    <Menu
      label={t('Comment')}
      trigger={<IconButton icon={MoreHorizontal} label={t('Comment actions')} size="s" />}
      items={[
        { label: t('Edit'), icon: Pencil, onSelect: onEdit },
        { label: t('Delete'), icon: Trash2, danger: true, onSelect: () => void deletion.run(null) },
      ]}
    />
  )
}

function EditComment({ comment, edited }: { readonly comment: Comment; readonly edited: DraftState }) {
  const { id, task, body, workspace, revision } = comment
  const { draft, save: keep, drop, discard } = edited
  const write = useWrite({
    write: (atrium, next: string) => atrium.tasks.comments.update(task, id, { body: next }),
    changes: (next) => [patch('comment', id, { body: next })],
    done: () => t('Comment saved'),
    undo: () => (atrium) => atrium.tasks.comments.update(task, id, { body }),
  })
  const save = async (next: string) => {
    if (next === body || (await write.run(next, drop)) !== undefined) drop()
  }
  return (
    <CommentEditor
      label={t('Comment')}
      action={t('Save')}
      text={draft?.text ?? body}
      workspace={workspace}
      busy={write.busy}
      onSave={(next) => void save(next)}
      onText={(text) => keep({ text, base: revision })}
      onCancel={(text) => (text === body ? drop() : discard({ text, base: revision }))}
    />
  )
}

function NewComment({ task }: { readonly task: Task }) {
  const { draft, save: keep, drop } = useDraft(`comment ${task.id}`)
  // A new number empties the editor.
  const [sent, setSent] = useState(0)
  const write = useWrite({
    write: (atrium, body: string) => atrium.tasks.comments.create(task.id, { workspace: task.workspace, body }),
    invalidates: ['comment'],
    toastErrors: false,
  })
  const clear = () => {
    drop()
    setSent((count) => count + 1)
  }
  const save = async (body: string) => {
    if ((await write.run(body, clear)) !== undefined) clear()
  }
  return (
    <>
      <CommentEditor
        key={sent}
        label={t('Write a comment')}
        action={t('Comment')}
        autoFocus={sent > 0}
        text={draft?.text ?? ''}
        workspace={task.workspace}
        project={task.project}
        busy={write.busy}
        onText={(text) => keep({ text, base: task.revision })}
        onSave={(body) => void save(body)}
      />
      <FormError error={write.error} />
    </>
  )
}
