/** Title and description: shown as text, edited where they stand. What somebody else has changed meanwhile is not lost. */
import type { Task } from '@atrium/sdk'
import { Pencil } from 'lucide-react'
import { useRef, useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { refused } from '../../data/index.ts'
import { Button, Kbd, Notice, TextArea } from '../../design/index.ts'
import { useDraft } from './drafts.ts'
import { useEscape } from './escape.ts'
import { useTaskChange } from './writes.ts'

export function Title({ task }: { readonly task: Task }) {
  const [text, setText] = useState<string | null>(null)
  const change = useTaskChange()
  const shown = useRef<HTMLButtonElement>(null)
  const leave = () => {
    setText(null)
    requestAnimationFrame(() => shown.current?.focus())
  }
  useEscape(text !== null, leave)
  const save = () => {
    const title = text?.trim() ?? ''
    setText(null)
    if (title !== '' && title !== task.title) void change.run({ id: task.id, fields: { title } })
  }
  if (text === null) {
    return (
      <h2 className="task-heading">
        <button type="button" className="task-title" ref={shown} onClick={() => setText(task.title)}>
          {task.title}
          <span className="unseen"> (edit the title)</span>
        </button>
      </h2>
    )
  }
  return (
    <TextArea
      className="task-title-field"
      aria-label="Title"
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
        requestAnimationFrame(() => shown.current?.focus())
      }}
    />
  )
}

export function Description({ task }: { readonly task: Task }) {
  const [text, setText] = useDraft(`description ${task.id}`)
  // What the text began from: a later revision means that somebody else has written.
  const [from, setFrom] = useState(task.revision)
  const change = useTaskChange({ toastErrors: false })
  const begin = () => {
    setFrom(task.revision)
    setText(task.description ?? '')
  }
  useEscape(text !== null, () => setText(null))
  const save = async (revision: number) => {
    if (text === null) return
    const fields = { description: text.trim() === '' ? null : text }
    if ((await change.run({ id: task.id, fields, ifMatch: revision })) !== undefined) setText(null)
  }
  if (text === null) {
    return task.description ? (
      <div className="task-description">
        <p className="task-text">{task.description}</p>
        <Button kind="quiet" size="s" icon={Pencil} onClick={begin}>
          Edit the description
        </Button>
      </div>
    ) : (
      <Button kind="quiet" icon={Pencil} className="task-begin" onClick={begin}>
        Add a description
      </Button>
    )
  }
  const isOvertaken = refused(change.error, 'resource_conflict')
  return (
    <div className="stack task-writing">
      <TextArea
        aria-label="Description"
        autoFocus
        rows={6}
        maxLength={65_536}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.preventDefault()
          event.stopPropagation()
          void save(from)
        }}
      />
      {isOvertaken ? (
        <Notice
          tone="warn"
          title="The task has changed since you began"
          actions={
            <Button size="s" onClick={() => void save(task.revision)}>
              Save mine
            </Button>
          }
        >
          Its description now: {task.description ?? 'empty'}
        </Notice>
      ) : (
        <FormError error={change.error} />
      )}
      <div className="row">
        <Button kind="primary" size="s" busy={change.busy} onClick={() => void save(from)}>
          Save
        </Button>
        <Button size="s" onClick={() => setText(null)}>
          Cancel
        </Button>
        <Kbd keys="mod+enter" />
      </div>
    </div>
  )
}
