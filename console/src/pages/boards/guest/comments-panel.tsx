/** The comments of a board for its guests: the threads, one of them whole, or the beginning of a new one. */
import { ArrowLeft, MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { FormError } from '../../../app/error-state.tsx'
import { guestName } from '../../../app/guest-name.ts'
import {
  Avatar,
  Button,
  ConfirmDialog,
  Empty,
  Field,
  IconButton,
  Menu,
  RelativeTime,
  SkeletonLines,
  submitHandler,
  TextArea,
} from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { WritingButtons } from '../../../text/writing-buttons.tsx'
import { BeginThread } from '../live/begin-thread.tsx'
import type { GuestComment, GuestThread, GuestThreads, SentGuestComment } from './threads.ts'

interface PanelProps {
  readonly threads: GuestThreads
  /** Places a new thread in the middle of what the guest sees. */
  readonly onPlaceInMiddle: () => void
}

const comment_chars_max = 4000

export function GuestCommentsPanel(props: PanelProps) {
  const { threads } = props
  const { all, chosen, draft, error } = threads
  return (
    <aside className="board-panel" aria-label={t('Comments')}>
      <h2 className="section-title">{t('Comments')}</h2>
      {all === undefined && error === null && <SkeletonLines lines={4} />}
      <FormError error={error} />
      {draft !== null ? (
        <NewThread threads={threads} />
      ) : chosen !== null ? (
        <ThreadView thread={chosen} threads={threads} />
      ) : (
        all !== undefined && <ThreadList {...props} all={all} />
      )}
    </aside>
  )
}

function ThreadList({ all, threads, onPlaceInMiddle }: PanelProps & { readonly all: readonly GuestThread[] }) {
  const { isPlacing, setPlacing, choose } = threads
  return (
    <>
      <BeginThread {...{ isPlacing, setPlacing, onPlaceInMiddle }} />
      {all.length === 0 ? (
        <Empty title={t('No comments yet')}>{t('Comments are pinned to a place of the board.')}</Empty>
      ) : (
        <ul className="live-found" aria-label={t('Threads')}>
          {all.map(({ id, first, replies }) => (
            <li key={id}>
              <button type="button" className="live-found-task live-thread" onClick={() => choose(id)}>
                <Head comment={first} />
                <Text comment={first} />
                <span className="subtle live-comment-time">
                  {first.is_resolved && `${t('Resolved')} · `}
                  {t('{count, plural, =0 {No replies} one {One reply} other {# replies}}', { count: replies.length })}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function ThreadView({ thread, threads }: { readonly thread: GuestThread; readonly threads: GuestThreads }) {
  const { first, replies } = thread
  const [sent, setSent] = useState(0)
  return (
    <>
      <div className="row">
        <Button size="s" icon={ArrowLeft} onClick={() => threads.choose(null)}>
          {t('All comments')}
        </Button>
      </div>
      {first.is_resolved && <p className="subtle">{t('This thread is resolved.')}</p>}
      <ul className="live-found" aria-label={t('Comments')}>
        {[first, ...replies].map((comment) => (
          <CommentView key={comment.id} comment={comment} threads={threads} />
        ))}
      </ul>
      <Writing
        key={sent}
        label={t('Write a reply')}
        action={t('Reply')}
        write={(body) => threads.write({ body, thread: first.id })}
        onDone={() => setSent((count) => count + 1)}
      />
    </>
  )
}

/** An own comment can be changed and deleted. */
function CommentView({ comment, threads }: { readonly comment: GuestComment; readonly threads: GuestThreads }) {
  const [isEditing, setEditing] = useState(false)
  const { id, own } = comment
  return (
    <li className="guest-comment">
      <Head comment={comment}>
        {own !== null && <CommentMenu comment={comment} threads={threads} onEdit={() => setEditing(true)} />}
      </Head>
      {isEditing && own !== null ? (
        <Writing
          label={t('Comment')}
          action={t('Save')}
          text={own}
          write={(body) => threads.update(id, body)}
          onDone={() => setEditing(false)}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Text comment={comment} />
      )}
    </li>
  )
}

interface CommentMenuProps {
  readonly comment: GuestComment
  readonly threads: GuestThreads
  readonly onEdit: () => void
}

function CommentMenu({ comment: { id, thread }, threads, onEdit }: CommentMenuProps) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isFirst = id === thread
  const close = () => {
    setAsking(false)
    setError(null)
  }
  const confirm = async () => {
    try {
      await threads.remove(id)
      close()
      if (isFirst) threads.choose(null)
    } catch (reason) {
      setError(reason)
    }
  }
  const label = isFirst ? t('Delete thread') : t('Delete comment')
  return (
    <>
      <Menu
        label={t('Comment')}
        trigger={<IconButton icon={MoreHorizontal} label={t('Comment actions')} size="s" />}
        items={[
          { label: t('Edit'), icon: Pencil, onSelect: onEdit },
          { label, icon: Trash2, danger: true, onSelect: () => setAsking(true) },
        ]}
      />
      <ConfirmDialog
        open={isAsking}
        onClose={close}
        title={label}
        action={t('Delete')}
        onConfirm={() => void confirm()}
      >
        {isFirst
          ? t('The comment and its replies are deleted for everyone.')
          : t('The comment is deleted for everyone.')}
        <FormError error={error} />
      </ConfirmDialog>
    </>
  )
}

/** The first comment of the thread that was placed. */
function NewThread({ threads }: { readonly threads: GuestThreads }) {
  const { draft, setDraft, choose, write } = threads
  const place: Partial<SentGuestComment> =
    draft === null ? {} : { position: { x: draft.position.x, y: draft.position.y }, element: draft.element }
  return (
    <Writing
      label={t('Write a comment')}
      action={t('Comment')}
      write={(body) => write({ body, ...place })}
      onDone={({ id }) => {
        setDraft(null)
        choose(id)
      }}
      onCancel={() => setDraft(null)}
    />
  )
}

interface WritingProps {
  readonly label: string
  readonly action: string
  /** At the beginning. */
  readonly text?: string
  readonly write: (body: string) => Promise<GuestComment>
  readonly onDone: (made: GuestComment) => void
  readonly onCancel?: () => void
}

function Writing({ label, action, text = '', write, onDone, onCancel }: WritingProps) {
  const [body, setBody] = useState(text)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const save = async () => {
    if (busy || body.trim() === '') return
    setBusy(true)
    setError(null)
    try {
      onDone(await write(body))
    } catch (reason) {
      setError(reason)
      setBusy(false)
    }
  }
  return (
    <form className="stack" onSubmit={submitHandler(() => void save())}>
      <Field label={label}>
        <TextArea
          rows={3}
          autoFocus={onCancel !== undefined}
          maxLength={comment_chars_max}
          value={body}
          onChange={({ currentTarget }) => setBody(currentTarget.value)}
        />
      </Field>
      <FormError error={error} />
      <WritingButtons action={action} busy={busy} isEmpty={body.trim() === ''} onCancel={onCancel} />
    </form>
  )
}

/** How guests call the author of a comment: members have no names here. */
export function authorName({ guest }: Pick<GuestComment, 'guest'>): string {
  return guest === null ? t('Member') : guestName(guest)
}

function Head({ comment, children }: { readonly comment: GuestComment; readonly children?: ReactNode }) {
  const { guest, created, is_edited } = comment
  const name = authorName(comment)
  return (
    <span className="guest-comment-head">
      <Avatar name={guest ?? name} id={guest ?? 'member'} size="s" />
      <span className="live-comment-name cut">{name}</span>
      <span className="subtle live-comment-time">
        <RelativeTime at={created} />
        {is_edited && t(', edited')}
      </span>
      {children}
    </span>
  )
}

/** The words as they were written. What a comment refers to has no name for guests. */
function Text({ comment }: { readonly comment: GuestComment }) {
  return (
    <span className="guest-comment-text" dir="auto">
      {comment.body.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
        <span key={i} className={'text' in part ? undefined : 'muted'}>
          {'text' in part ? part.text : hiddenName(part.hidden)}
        </span>
      ))}
    </span>
  )
}

/** The text in one line, as pins are labelled. */
export function plainText({ body }: Pick<GuestComment, 'body'>): string {
  return body.map((part) => ('text' in part ? part.text : hiddenName(part.hidden))).join('')
}

function hiddenName(hidden: 'person' | 'team' | 'task' | 'file' | 'object'): string {
  switch (hidden) {
    case 'person':
      return t('Member')
    case 'team':
      return t('A team')
    case 'task':
      return t('A task')
    case 'file':
      return t('A file')
    default:
      return '…'
  }
}
