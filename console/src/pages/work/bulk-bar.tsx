/** Changes the status or the assignee of all selected tasks. */
import type { Atrium, Task } from '@atrium/sdk'
import { X } from 'lucide-react'
import { useShortcut } from '../../app/shortcuts.ts'
import { patch, useDirectory, useWrite } from '../../data/index.ts'
import { Button, IconButton, Menu } from '../../design/index.ts'
import { AssigneeChoice } from './assignee-choice.tsx'
import { StatusMark } from './marks.tsx'
import { statusChoices } from './task-values.ts'
import type { TaskFields } from './writes.ts'

/** Concurrent writes. */
const concurrency = 4

interface BulkBarProps {
  readonly tasks: readonly Task[]
  readonly onClear: () => void
}

interface BulkChange {
  readonly tasks: readonly Task[]
  readonly fields: TaskFields
  /** The change in words: "assigned to Ada". */
  readonly text: string
}

export function BulkBar({ tasks, onClear }: BulkBarProps) {
  const { nameOf } = useDirectory()
  useShortcut('escape', 'Clear selection', onClear)
  const write = useWrite({
    write: (atrium, bulk: BulkChange) => writeAll(bulk.tasks, ({ id }) => atrium.tasks.update(id, bulk.fields)),
    changes: (bulk) => bulk.tasks.map(({ id }) => patch('task', id, bulk.fields)),
    done: (_, bulk) => `${bulk.tasks.length} ${bulk.tasks.length === 1 ? 'task' : 'tasks'} ${bulk.text}`,
    undo: (_, bulk, before) => {
      const former = bulk.tasks.map((task) => before<Task>('task', task.id) ?? task)
      return (atrium) => restore(atrium, former, bulk.fields)
    },
  })
  const run = (fields: TaskFields, text: string) => void write.run({ tasks, fields, text })
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
          onSelect: () => run({ status: value }, `changed to ${label}`),
        }))}
      />
      <AssigneeChoice
        trigger={<Button size="s">Assignee</Button>}
        onChange={(user) => run({ assignee: user }, user === null ? 'unassigned' : `assigned to ${nameOf(user)}`)}
      />
      <IconButton icon={X} label="Clear selection" keys="escape" size="s" onClick={onClear} />
    </section>
  )
}

/** The first failure rejects; writes that have started go on. */
async function writeAll(tasks: readonly Task[], write: (task: Task) => PromiseLike<unknown>): Promise<null> {
  const queue = [...tasks]
  const work = async () => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await write(task)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return null
}

/** Writes the former values of the changed fields. */
async function restore(atrium: Atrium, former: readonly Task[], fields: TaskFields): Promise<null> {
  const names = Object.keys(fields)
  return await writeAll(former, (task) =>
    atrium.tasks.update(task.id, Object.fromEntries(names.map((name) => [name, task[name as keyof Task]]))),
  )
}
