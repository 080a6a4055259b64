/** What can be done with several tasks at once. */
import type { Atrium, Task } from '@atrium/sdk'
import { X } from 'lucide-react'
import { useShortcut } from '../../app/shortcuts.ts'
import { patch, useDirectory, useWrite } from '../../data/index.ts'
import { Button, Combobox, IconButton, Menu } from '../../design/index.ts'
import { StatusMark } from './marks.tsx'
import { statusChoices } from './words.ts'
import type { TaskFields } from './writes.ts'

/** Writes that are under way at once. */
const together = 4

interface BulkBarProps {
  readonly tasks: readonly Task[]
  readonly onClear: () => void
}

interface Bulk {
  readonly tasks: readonly Task[]
  readonly fields: TaskFields
  readonly said: string
}

export function BulkBar({ tasks, onClear }: BulkBarProps) {
  const { active } = useDirectory()
  useShortcut('escape', 'Select nothing', onClear)
  const write = useWrite({
    write: (atrium, bulk: Bulk) => each(bulk.tasks, ({ id }) => atrium.tasks.update(id, bulk.fields)),
    changes: (bulk) => bulk.tasks.map(({ id }) => patch('task', id, bulk.fields)),
    done: (_, bulk) => `${bulk.tasks.length} ${bulk.tasks.length === 1 ? 'task' : 'tasks'}: ${bulk.said}`,
    undo: (_, bulk, before) => {
      const tasks = bulk.tasks.map((task) => before<Task>('task', task.id) ?? task)
      return (atrium) => putBack(atrium, { ...bulk, tasks })
    },
  })
  const run = (fields: TaskFields, said: string) => void write.run({ tasks, fields, said })
  return (
    <section className="bulk" aria-label="Selected tasks">
      <span className="numbers">{tasks.length} selected</span>
      <Menu
        label="Status"
        align="start"
        side="top"
        trigger={<Button size="s">Status</Button>}
        items={statusChoices.map(({ value, label }) => ({
          label: <StatusMark status={value} named />,
          onSelect: () => run({ status: value }, label.toLowerCase()),
        }))}
      />
      <Combobox
        label="Assignee"
        options={[{ value: 'nobody', label: 'Nobody' }, ...active.map(({ id, name }) => ({ value: id, label: name }))]}
        value={[]}
        trigger={<Button size="s">Assignee</Button>}
        onChange={([user]) => {
          const name = active.find(({ id }) => id === user)?.name ?? 'nobody'
          run({ assignee: user === undefined || user === 'nobody' ? null : user }, `assigned to ${name}`)
        }}
      />
      <IconButton icon={X} label="Select nothing" keys="escape" size="s" onClick={onClear} />
    </section>
  )
}

/** One after the other in a few lanes; the first that fails ends it. */
async function each(tasks: readonly Task[], write: (task: Task) => PromiseLike<unknown>): Promise<null> {
  const left = [...tasks]
  const lane = async () => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) await write(task)
  }
  await Promise.all(Array.from({ length: together }, lane))
  return null
}

/** `tasks` are as they were before. */
async function putBack(atrium: Atrium, { tasks, fields }: Bulk): Promise<null> {
  const names = Object.keys(fields)
  return await each(tasks, (task) =>
    atrium.tasks.update(task.id, Object.fromEntries(names.map((name) => [name, task[name as keyof Task]]))),
  )
}
