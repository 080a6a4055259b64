/**
 * Adds subtasks: Enter adds one and keeps the field open for the next, pasted lines become one subtask each after a
 * question, and an existing task becomes a subtask by search.
 */
import type { Task } from '@atrium/sdk'
import { Link2, Plus } from 'lucide-react'
import { type ClipboardEvent, type RefObject, useRef, useState } from 'react'
import { useShortcut } from '../../app/shortcuts.ts'
import { useColumns } from '../../app/tasks/reads.ts'
import { Button, Input, Notice, submitHandler } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { useEscape } from './escape.ts'
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
  useShortcut('shift+c', t('Add subtask'), () => setOpen(true))
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
            {t('Add subtask')}
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
        label={t('Existing task')}
        workspace={task.workspace}
        without={[task.id, ...rows.map(({ id }) => id)]}
        trigger={
          <Button kind="quiet" size="s" icon={Link2}>
            {t('Add existing task')}
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
        aria-label={t('New subtask of {key}', { key: task.key })}
        placeholder={t('Title of the subtask. Enter adds it')}
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
      ? t('{count} lines were pasted. At most {pasted_lines_max} subtasks can be created at once.', {
          count: titles.length,
          pasted_lines_max,
        })
      : long >= 0
        ? t('Line {long} has more than {title_chars_max} characters.', { long: long + 1, title_chars_max })
        : null
  return (
    <Notice
      tone={fault === null ? 'info' : 'warn'}
      title={
        fault === null
          ? t('Create {count} subtasks, one per line?', { count: titles.length })
          : t('These lines cannot become subtasks')
      }
      actions={
        <>
          {fault === null && (
            <Button size="s" autoFocus onClick={onCreate}>
              {t('Create {count} subtasks', { count: titles.length })}
            </Button>
          )}
          <Button size="s" onClick={onJoin}>
            {t('Paste as one title')}
          </Button>
          <Button size="s" onClick={onCancel}>
            {t('Cancel')}
          </Button>
        </>
      }
    >
      {fault ?? t('First: {titles}. Last: {at}.', { titles: titles[0] ?? '', at: titles.at(-1) ?? '' })}
    </Notice>
  )
}
