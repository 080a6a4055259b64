/** The panel of comments beside the canvas: the threads of a board, one of them whole, or the beginning of a new one. */
import type { BoardComment } from '@atrium/sdk'
import { ArrowLeft, Check, MoreHorizontal, Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ErrorState, FormError } from '../../../app/error-state.tsx'
import { guestName } from '../../../app/guest-name.ts'
import { remove, useDirectory, useSession, useWrite } from '../../../data/index.ts'
import {
  Avatar,
  Button,
  ConfirmDialog,
  Empty,
  IconButton,
  Menu,
  RelativeTime,
  SkeletonLines,
  Switch,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { CommentEditor } from '../../../text/comment-editor.tsx'
import { Markdown } from '../../../text/markdown.tsx'
import { BeginThread } from './begin-thread.tsx'
import type { BoardAccess } from './connection.ts'
import type { BoardThreads, Thread } from './threads.ts'

interface CommentsPanelProps {
  readonly threads: BoardThreads
  readonly access: BoardAccess
  /** Places a new thread in the middle of what the person sees. */
  readonly onPlaceInMiddle: () => void
}

export function CommentsPanel(props: CommentsPanelProps) {
  const { threads, access } = props
  const { list, chosen, draft } = threads
  if (list.error) return <ErrorState error={list.error} onRetry={list.refetch} plain />
  if (draft !== null) return <NewThread threads={threads} />
  if (list.all === undefined) return <SkeletonLines lines={6} />
  if (chosen !== null) return <ThreadView thread={chosen} threads={threads} access={access} />
  return <ThreadList {...props} />
}

function ThreadList({ threads, access, onPlaceInMiddle }: CommentsPanelProps) {
  const { list, isPlacing, setPlacing, withResolved, setWithResolved, open } = threads
  const shown = (list.all ?? []).filter(({ first }) => withResolved || first.resolved_at === null)
  const hidden = (list.all?.length ?? 0) - shown.length
  return (
    <>
      {(access !== 'viewer' || isPlacing) && <BeginThread {...{ isPlacing, setPlacing, onPlaceInMiddle }} />}
      {(withResolved || hidden > 0) && (
        <Switch label={t('Show resolved')} checked={withResolved} onChange={setWithResolved} />
      )}
      {shown.length === 0 ? (
        <Empty title={t('No comments yet')}>{t('Comments are pinned to a place of the board.')}</Empty>
      ) : (
        <ul className="live-found" aria-label={t('Threads')}>
          {shown.map((thread) => (
            <ThreadItem key={thread.id} thread={thread} onOpen={() => open(thread.id)} />
          ))}
        </ul>
      )}
    </>
  )
}

function ThreadItem({
  thread: { first, replies, text },
  onOpen,
}: {
  readonly thread: Thread
  readonly onOpen: () => void
}) {
  const name = useAuthorName()(first)
  return (
    <li>
      <button type="button" className="live-found-task live-thread" onClick={onOpen}>
        <span className="board-task-line">
          <Avatar name={first.guest ?? name} id={first.author.id} size="s" />
          <span className="live-comment-name cut">{name}</span>
          <span className="subtle live-comment-time">
            <RelativeTime at={first.created} />
          </span>
        </span>
        <span className="live-thread-text">{text}</span>
        <span className="subtle live-comment-time">
          {first.resolved_at !== null && `${t('Resolved')} · `}
          {t('{count, plural, =0 {No replies} one {One reply} other {# replies}}', { count: replies.length })}
        </span>
      </button>
    </li>
  )
}

interface ThreadViewProps {
  readonly thread: Thread
  readonly threads: BoardThreads
  readonly access: BoardAccess
}

function ThreadView({ thread, threads, access }: ThreadViewProps) {
  const { first, replies } = thread
  const isOpen = first.resolved_at === null
  return (
    <>
      <div className="row">
        <Button size="s" icon={ArrowLeft} onClick={() => threads.open(null)}>
          {t('All comments')}
        </Button>
        <span className="grow" />
        {access !== 'viewer' && <ResolveButton first={first} />}
      </div>
      {!isOpen && <p className="subtle">{t('This thread is resolved.')}</p>}
      <ul className="live-found" aria-label={t('Comments')}>
        {[first, ...replies].map((comment) => (
          <CommentView key={comment.id} comment={comment} thread={thread} threads={threads} access={access} />
        ))}
      </ul>
      {access !== 'viewer' && <Reply first={first} />}
    </>
  )
}

function ResolveButton({ first }: { readonly first: BoardComment }) {
  const { board, id, resolved_at } = first
  const resolve = useWrite({
    write: (atrium, _: null) => atrium.boards.comments.resolve(board, id),
    done: () => t('Thread resolved'),
    undo: () => (atrium) => atrium.boards.comments.reopen(board, id),
    invalidates: ['board_comment'],
  })
  const reopen = useWrite({
    write: (atrium, _: null) => atrium.boards.comments.reopen(board, id),
    done: () => t('Thread is open again'),
    undo: () => (atrium) => atrium.boards.comments.resolve(board, id),
    invalidates: ['board_comment'],
  })
  return resolved_at === null ? (
    <Button size="s" icon={Check} busy={resolve.busy} onClick={() => void resolve.run(null)}>
      {t('Resolve')}
    </Button>
  ) : (
    <Button size="s" icon={RotateCcw} busy={reopen.busy} onClick={() => void reopen.run(null)}>
      {t('Open again')}
    </Button>
  )
}

interface CommentViewProps extends ThreadViewProps {
  readonly comment: BoardComment
}

function CommentView({ comment, thread, threads, access }: CommentViewProps) {
  const { user } = useSession()
  const name = useAuthorName()(comment)
  const [isEditing, setEditing] = useState(false)
  const isOwn = comment.author.type === 'user' && comment.author.id === user.id && access !== 'viewer'
  return (
    <li className="live-comment">
      <Avatar name={comment.guest ?? name} id={comment.author.id} size="s" />
      <div className="grow">
        <div className="row">
          <span className="live-comment-name cut">{name}</span>
          <span className="subtle live-comment-time">
            <RelativeTime at={comment.created} />
            {comment.edited_at !== null && t(', edited')}
          </span>
          <span className="grow" />
          {(isOwn || access === 'editor') && (
            <CommentMenu {...{ comment, thread, threads, isOwn }} onEdit={() => setEditing(true)} />
          )}
        </div>
        {isEditing ? (
          <EditComment comment={comment} onClose={() => setEditing(false)} />
        ) : (
          <Markdown text={comment.body} />
        )}
      </div>
    </li>
  )
}

interface CommentMenuProps {
  readonly comment: BoardComment
  readonly thread: Thread
  readonly threads: BoardThreads
  readonly isOwn: boolean
  readonly onEdit: () => void
}

function CommentMenu({ comment, thread, threads, isOwn, onEdit }: CommentMenuProps) {
  const [isAsking, setAsking] = useState(false)
  const isFirst = comment.id === thread.id
  const deletion = useWrite({
    write: (atrium, _: null) => atrium.boards.comments.delete(comment.board, comment.id),
    changes: () => [remove('board_comment', comment.id)],
    done: () => (isFirst ? t('Thread deleted') : t('Comment deleted')),
    invalidates: ['board_comment'],
  })
  const confirm = () => {
    setAsking(false)
    if (isFirst) threads.open(null)
    void deletion.run(null)
  }
  const label = isFirst ? t('Delete thread') : t('Delete comment')
  return (
    <>
      <Menu
        label={t('Comment')}
        trigger={<IconButton icon={MoreHorizontal} label={t('Comment actions')} size="s" />}
        items={[
          ...(isOwn ? [{ label: t('Edit'), icon: Pencil, onSelect: onEdit }] : []),
          { label, icon: Trash2, danger: true, onSelect: () => setAsking(true) },
        ]}
      />
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={label}
        action={t('Delete')}
        onConfirm={confirm}
      >
        {isFirst
          ? t('The comment and its replies are deleted for everyone.')
          : t('The comment is deleted for everyone.')}
      </ConfirmDialog>
    </>
  )
}

function EditComment({ comment, onClose }: { readonly comment: BoardComment; readonly onClose: () => void }) {
  const { id, board, body } = comment
  const write = useWrite({
    write: (atrium, next: string) => atrium.boards.comments.update(board, id, { body: next }),
    invalidates: ['board_comment'],
    done: () => t('Comment saved'),
    undo: () => (atrium) => atrium.boards.comments.update(board, id, { body }),
  })
  const save = async (next: string) => {
    if (next === body || (await write.run(next, onClose)) !== undefined) onClose()
  }
  return (
    <CommentEditor
      label={t('Comment')}
      action={t('Save')}
      text={body}
      workspace={null}
      busy={write.busy}
      onSave={(next) => void save(next)}
      onCancel={onClose}
    />
  )
}

function Reply({ first }: { readonly first: BoardComment }) {
  // A new number empties the editor.
  const [sent, setSent] = useState(0)
  const write = useWrite({
    write: (atrium, body: string) => atrium.boards.comments.create(first.board, { body, thread: first.id }),
    invalidates: ['board_comment'],
    toastErrors: false,
  })
  const clear = () => setSent((count) => count + 1)
  const save = async (body: string) => {
    if ((await write.run(body, clear)) !== undefined) clear()
  }
  return (
    <>
      <CommentEditor
        key={sent}
        label={t('Write a reply')}
        action={t('Reply')}
        text=""
        workspace={null}
        busy={write.busy}
        onSave={(body) => void save(body)}
      />
      <FormError error={write.error} />
    </>
  )
}

/** The first comment of the thread that was placed. */
function NewThread({ threads }: { readonly threads: BoardThreads }) {
  const { board, draft, setDraft, open } = threads
  const write = useWrite({
    write: (atrium, body: string) =>
      atrium.boards.comments.create(board, {
        body,
        position: draft?.position ?? { x: 0, y: 0 },
        element: draft?.element ?? null,
      }),
    invalidates: ['board_comment'],
    toastErrors: false,
  })
  const close = () => setDraft(null)
  const save = async (body: string) => {
    const made = await write.run(body, close)
    if (made === undefined) return
    close()
    open(made.id)
  }
  return (
    <>
      <CommentEditor
        label={t('Write a comment')}
        action={t('Comment')}
        text=""
        workspace={null}
        busy={write.busy}
        onSave={(body) => void save(body)}
        onCancel={close}
      />
      <FormError error={write.error} />
    </>
  )
}

/** The name of who wrote a comment. */
function useAuthorName(): (comment: BoardComment) => string {
  const { nameOf } = useDirectory()
  return ({ author, guest }) => (guest === null ? nameOf(author.id) : guestName(guest))
}
