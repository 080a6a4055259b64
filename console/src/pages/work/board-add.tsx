import type { Project, Task } from '@atrium/sdk'
import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useDirectory, useWrite } from '../../data/index.ts'
import { Button, Input, submitHandler } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { understood } from './title-hint.ts'
import { type Named, readTitle } from './title-words.ts'

interface AddCardProps {
  readonly project: Project
  readonly column: string | null
  /** The name of the column. */
  readonly name: string
  readonly onAdded: (task: Task) => void
}

/** Adds one task after another: Enter adds a task and keeps the field open, Escape closes it. Titles are read as in the dialog. */
export function AddCard({ project, column, name, onAdded }: AddCardProps) {
  const [title, setTitle] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const { active } = useDirectory()
  const create = useWrite({
    write: (atrium, given: string) =>
      atrium.tasks.create({ ...fieldsOf(given, active), workspace: project.workspace, project: project.id, column }),
    invalidates: ['task'],
    done: () => null,
  })
  if (title === null) {
    return (
      <Button kind="quiet" size="s" icon={Plus} className="board-add" ref={button} onClick={() => setTitle('')}>
        {rich('Add task{span}', { span: <span className="unseen"> {t('to {name}', { name })}</span> })}
      </Button>
    )
  }
  const close = () => {
    setTitle(null)
    requestAnimationFrame(() => button.current?.focus())
  }
  const send = async () => {
    const given = title.trim()
    if (given === '') return close()
    setTitle('')
    let isKept = false
    const created = await create.run(given, () => {
      isKept = true
    })
    if (created !== undefined) onAdded(created)
    else if (!isKept) setTitle((next) => next || given)
  }
  return (
    <form className="board-add" noValidate onSubmit={submitHandler(() => void send())}>
      <Input
        autoFocus
        aria-label={t('New task in {name}', { name })}
        placeholder={t('Title of the task')}
        maxLength={500}
        value={title}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
        }}
        onBlur={() => title.trim() === '' && setTitle(null)}
      />
      <p className="board-add-words subtle" role="status">
        {understood(readTitle(title, active, Date.now()), active).join(' · ')}
      </p>
    </form>
  )
}

/** A title of nothing but such words is kept as it is. */
function fieldsOf(given: string, people: readonly Named[]) {
  const { title, assignee, labels, priority, due_at } = readTitle(given, people, Date.now())
  if (title === '') return { title: given }
  return { title, assignee, labels: [...labels], due_at, ...(priority !== null && { priority }) }
}
