/** Title and description of a task, edited in place. A concurrent change of the description is not overwritten unseen. */
import type { Task } from '@atrium/sdk'
import { Pencil } from 'lucide-react'
import { useLayoutEffect, useRef, useState } from 'react'
import { type Draft, useDraft } from '../../app/drafts.ts'
import { FormError } from '../../app/error-state.tsx'
import { hasErrorCode } from '../../data/index.ts'
import { Button, Kbd, Notice, TextArea } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { Markdown } from '../../text/markdown.tsx'
import { type EditorHandle, TextEditor } from '../../text/text-editor.tsx'
import { useEscape } from './escape.ts'
import { useDescriptionTick } from './ticks.ts'
import { useTaskChange } from './writes.ts'

export function Title({ task }: { readonly task: Task }) {
  const [text, setText] = useState<string | null>(null)
  const change = useTaskChange()
  const heading = useRef<HTMLButtonElement>(null)
  const focusHeading = () => requestAnimationFrame(() => heading.current?.focus())
  useEscape(text !== null, () => {
    setText(null)
    focusHeading()
  })
  const save = () => {
    const title = text?.trim() ?? ''
    setText(null)
    if (title !== '' && title !== task.title) void change.run({ id: task.id, fields: { title } })
  }
  if (text === null) {
    return (
      <h2 className="task-heading">
        <button type="button" className="task-title" ref={heading} onClick={() => setText(task.title)}>
          {task.title}
          <span className="unseen"> {t('(edit title)')}</span>
        </button>
      </h2>
    )
  }
  return (
    <TextArea
      className="task-title-field"
      aria-label={t('Title')}
      rows={1}
      autoFocus
      maxLength={500}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value.replace(/\n/g, ' '))}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        event.preventDefault()
        save()
        focusHeading()
      }}
    />
  )
}

export function Description({ task }: { readonly task: Task }) {
  // The write is refused if the description has changed since the draft's revision.
  const { draft, begin, save, drop, discard } = useDraft(`description ${task.id}`)
  const edit = () => begin(draftOf(task))
  const onTick = useDescriptionTick(task)
  const button = useRef<HTMLButtonElement>(null)
  const isClosing = useRef(false)
  // When the editor, which had the focus, has just been replaced by the button.
  useLayoutEffect(() => {
    if (draft !== null || !isClosing.current) return
    isClosing.current = false
    if (document.activeElement === document.body) button.current?.focus()
  }, [draft])
  if (draft !== null) {
    const close = (discarded: Draft | null) => {
      isClosing.current = true
      if (discarded === null) drop()
      else discard(discarded)
    }
    return <DescriptionEditor task={task} draft={draft} onDraft={save} onClose={close} />
  }
  return task.description ? (
    <div className="task-description">
      <Markdown className="task-text" text={task.description} onTick={task.is_archived ? undefined : onTick} />
      <Button kind="quiet" size="s" icon={Pencil} ref={button} onClick={edit}>
        {t('Edit description')}
      </Button>
    </div>
  ) : (
    <Button kind="quiet" icon={Pencil} className="task-begin" ref={button} onClick={edit}>
      {t('Add description')}
    </Button>
  )
}

function draftOf({ description, revision }: Task): Draft {
  const text = description ?? ''
  return { text, base: revision, was: text }
}

interface DescriptionEditorProps {
  readonly task: Task
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
  /** With the text that was discarded, if it differs from the description. */
  readonly onClose: (discarded: Draft | null) => void
}

function DescriptionEditor({ task, draft, onDraft, onClose }: DescriptionEditorProps) {
  const { text, base, was } = draft
  const change = useTaskChange({ toastErrors: false })
  const editor = useRef<EditorHandle>(null)
  const close = () => onClose(null)
  const cancel = () => {
    const written = editor.current?.read() ?? text
    onClose(written === (task.description ?? '') ? null : { ...draft, text: written })
  }
  const save = async (revision: number, wasDescription?: string) => {
    const next = editor.current?.read() ?? text
    const description = next.trim() === '' ? null : next
    if (description === task.description) return close()
    const from = { ifMatch: revision, ...(wasDescription !== undefined && { wasDescription }) }
    if ((await change.run({ id: task.id, fields: { description }, ...from }, close)) !== undefined) close()
  }
  return (
    <div className="stack text-writing">
      <TextEditor
        label={t('Description')}
        placeholder={t('Write, or press / for blocks, @ for people, # for tasks')}
        autoFocus
        text={text}
        workspace={task.workspace}
        project={task.project}
        handle={editor}
        onText={(next) => onDraft({ ...draft, text: next })}
        onSubmit={() => void save(base, was)}
        onCancel={cancel}
      />
      {hasErrorCode(change.error, 'resource_conflict') ? (
        <Conflict task={task} onOverwrite={() => void save(task.revision)} />
      ) : (
        <FormError error={change.error} />
      )}
      <div className="row">
        <Button kind="primary" size="s" busy={change.busy} onClick={() => void save(base, was)}>
          {t('Save')}
        </Button>
        <Button size="s" onClick={cancel}>
          {t('Cancel')}
        </Button>
        <Kbd keys="mod+enter" />
      </div>
    </div>
  )
}

function Conflict({ task, onOverwrite }: { readonly task: Task; readonly onOverwrite: () => void }) {
  return (
    <Notice
      tone="warn"
      title={t('The description changed while you were editing')}
      actions={
        <Button size="s" onClick={onOverwrite}>
          {t('Overwrite')}
        </Button>
      }
    >
      {task.description
        ? t('Current description: {description}', { description: task.description })
        : t('The description is empty now.')}
    </Notice>
  )
}
