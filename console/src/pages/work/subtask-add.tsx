/**
 * Adds subtasks: Enter adds one and keeps the field open for the next, pasted lines become one subtask each after a
 * question, and an existing task becomes a subtask by search.
 */
import type { Task } from '@atrium/sdk'
import { Link2, Plus } from 'lucide-react'
import { type ClipboardEvent, type RefObject, useRef, useState } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { Button, Input, Notice, submitHandler } from '../../design/index.ts'
import { useEscape } from './escape.ts'
import { useColumns } from './reads.ts'
import { titlesOf } from './subtask-order.ts'
import {
  parentRefusal,
  pasted_lines_max,
  title_chars_max,
  useParentChange,
  useSubtaskCreation,
} from './subtask-writes.ts'
import { TaskChoice } from './task-choice.tsx'

interface SubtaskAddProps {
  readonly task: Task
  readonly rows: readonly Task[]
}

export function SubtaskAdd({ task, rows }: SubtaskAddProps) {
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const opener = useRef<HTMLButtonElement>(null)
  const creation = useCreationQueue(task)
  useShortcut('shift+c', 'Add subtask', () => setOpen(true))
  const close = () => {
    setOpen(false)
    requestAnimationFrame(() => opener.current?.focus())
  }
  const add = async (titles: readonly string[], text: string) => {
    if (await creation.add(titles)) return
    // The text comes back, so that nothing typed is lost.
    setTitle((next) => next || text.slice(0, title_chars_max))
    setOpen(true)
  }
  return (
    <>
      {creation.waiting.map((each, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same title
        <p className="subtle cut subtask-waiting" key={i}>
          {each}
        </p>
      ))}
      {isOpen ? (
        <NewSubtask task={task} title={title} setTitle={setTitle} onAdd={add} onClose={close} />
      ) : (
        <div className="row subtask-begin">
          <Button kind="quiet" size="s" icon={Plus} ref={opener} onClick={() => setOpen(true)}>
            Add subtask
          </Button>
          <ExistingTask task={task} rows={rows} />
        </div>
      )}
    </>
  )
}

function ExistingTask({ task, rows }: SubtaskAddProps) {
  const change = useParentChange()
  const [tried, setTried] = useState('')
  return (
    <>
      <TaskChoice
        label="Existing task"
        workspace={task.workspace}
        without={[task.id, ...rows.map(({ id }) => id)]}
        trigger={
          <Button kind="quiet" size="s" icon={Link2}>
            Add existing task
          </Button>
        }
        onChoose={(child) => {
          if (child === null) return
          setTried(child.key)
          void change.run({ task: child, parent: task })
        }}
      />
      {change.error !== null && (
        <p className="task-refusal" role="alert">
          {parentRefusal(change.error, tried, task.key)}
        </p>
      )}
    </>
  )
}

interface NewSubtaskProps {
  readonly task: Task
  readonly title: string
  readonly setTitle: (title: string) => void
  readonly onAdd: (titles: readonly string[], text: string) => Promise<void>
  readonly onClose: () => void
}

function NewSubtask({ task, title, setTitle, onAdd, onClose }: NewSubtaskProps) {
  const [pasted, setPasted] = useState<readonly string[] | null>(null)
  const field = useRef<HTMLInputElement>(null)
  useEscape(pasted === null, onClose)
  const send = () => {
    const given = title.trim()
    if (given === '') return onClose()
    setTitle('')
    void onAdd([given], given)
  }
  const onPaste = (event: ClipboardEvent) => {
    const titles = titlesOf(event.clipboardData.getData('text/plain'))
    if (titles.length < 2) return
    event.preventDefault()
    setPasted(titles)
  }
  const closePasted = () => {
    setPasted(null)
    field.current?.focus()
  }
  return (
    <div className="stack subtask-new">
      <NewTitle
        {...{ task, field, title, setTitle, send, onPaste }}
        onLeave={() => title.trim() === '' && pasted === null && onClose()}
      />
      {pasted !== null && (
        <PastedLines
          titles={pasted}
          onCreate={() => {
            closePasted()
            void onAdd(pasted, pasted.join(' '))
          }}
          onJoin={() => {
            setTitle(`${title}${pasted.join(' ')}`.slice(0, title_chars_max))
            closePasted()
          }}
          onCancel={closePasted}
        />
      )}
    </div>
  )
}

interface NewTitleProps {
  readonly task: Task
  readonly field: RefObject<HTMLInputElement | null>
  readonly title: string
  readonly setTitle: (title: string) => void
  readonly send: () => void
  readonly onPaste: (event: ClipboardEvent) => void
  readonly onLeave: () => void
}

function NewTitle({ task, field, title, setTitle, send, onPaste, onLeave }: NewTitleProps) {
  return (
    <form noValidate onSubmit={submitHandler(send)}>
      <Input
        autoFocus
        ref={field}
        aria-label={`New subtask of ${task.key}`}
        placeholder="Title of the subtask. Enter adds it"
        maxLength={title_chars_max}
        value={title}
        onPaste={onPaste}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        onBlur={onLeave}
      />
    </form>
  )
}

/** Writes one after the other, so that the subtasks stand in the order in which they were typed. */
function useCreationQueue(task: Task) {
  const { columns } = useColumns(task.project)
  const creation = useSubtaskCreation(task, columns?.[0]?.id ?? null)
  const [waiting, setWaiting] = useState<readonly string[]>([])
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const add = async (titles: readonly string[]): Promise<boolean> => {
    setWaiting((was) => [...was, ...titles])
    let isKept = false
    const onKept = () => {
      isKept = true
    }
    const job = last.current.then(() => creation.run(titles, onKept))
    last.current = job
    const created = await job
    setWaiting((was) => was.slice(titles.length))
    return created !== undefined || isKept
  }
  return { add, waiting }
}

interface PastedLinesProps {
  readonly titles: readonly string[]
  readonly onCreate: () => void
  readonly onJoin: () => void
  readonly onCancel: () => void
}

/** Asks before several lines become several subtasks. */
function PastedLines({ titles, onCreate, onJoin, onCancel }: PastedLinesProps) {
  useEscape(true, onCancel)
  const long = titles.findIndex((title) => title.length > title_chars_max)
  const fault =
    titles.length > pasted_lines_max
      ? `${titles.length} lines were pasted. At most ${pasted_lines_max} subtasks can be created at once.`
      : long >= 0
        ? `Line ${long + 1} has more than ${title_chars_max} characters.`
        : null
  return (
    <Notice
      tone={fault === null ? 'info' : 'warn'}
      title={fault === null ? `Create ${titles.length} subtasks, one per line?` : 'These lines cannot become subtasks'}
      actions={
        <>
          {fault === null && (
            <Button size="s" autoFocus onClick={onCreate}>
              Create {titles.length} subtasks
            </Button>
          )}
          <Button size="s" onClick={onJoin}>
            Paste as one title
          </Button>
          <Button size="s" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      {fault ?? `First: ${titles[0]}. Last: ${titles.at(-1)}.`}
    </Notice>
  )
}
