import type { Project, Task } from '@atrium/sdk'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useWrite } from '../../data/index.ts'
import { Button, Input, submitHandler } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

interface AddCardProps {
  readonly project: Project
  readonly column: string | null
  /** The name of the column. */
  readonly name: string
  readonly onAdded: (task: Task) => void
}

/** Adds one task after another: Enter adds a task and keeps the field open, Escape closes it. */
export function AddCard({ project, column, name, onAdded }: AddCardProps) {
  const [title, setTitle] = useState<string | null>(null)
  const create = useWrite({
    write: (atrium, given: string) =>
      atrium.tasks.create({ workspace: project.workspace, project: project.id, column, title: given }),
    invalidates: ['task'],
    done: () => null,
  })
  if (title === null) {
    return (
      <Button kind="quiet" size="s" icon={Plus} className="board-add" onClick={() => setTitle('')}>
        {rich('Add task{span}', { span: <span className="unseen"> {t('to {name}', { name })}</span> })}
      </Button>
    )
  }
  const send = async () => {
    const given = title.trim()
    if (given === '') return setTitle(null)
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
          if (event.key === 'Escape') setTitle(null)
        }}
        onBlur={() => title.trim() === '' && setTitle(null)}
      />
    </form>
  )
}
