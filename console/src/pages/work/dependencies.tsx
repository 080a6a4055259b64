/** The tasks of the same project that this one blocks, precedes, is related to or duplicates. */
import type { Dependency, Task } from '@atrium/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { remove, useAll, useWrite } from '../../data/index.ts'
import { Badge, Button, Combobox, IconButton, Select, SkeletonLines } from '../../design/index.ts'
import { StatusMark } from './marks.tsx'
import { board_tasks_max, useTask } from './reads.ts'
import { type DependencyKind, dependencyKinds, dependencyNames } from './words.ts'

export function Dependencies({ task }: { readonly task: Task }) {
  const [isAdding, setAdding] = useState(false)
  const list = useAll<Dependency>('dependency', { from: task.id }, (atrium) =>
    atrium.tasks.dependencies.list(task.id, { limit: 100 }),
  )
  if (list.error) return <ErrorState error={list.error} onRetry={() => void list.refetch()} plain />
  if (list.data === undefined) return <SkeletonLines lines={1} />
  return (
    <div className="stack" style={{ gap: 'var(--s-1)' }}>
      {list.data.length > 0 && (
        <ul aria-label="Dependencies">
          {list.data.map((dependency) => (
            <DependencyView key={dependency.id} dependency={dependency} />
          ))}
        </ul>
      )}
      {task.project === null ? (
        <p className="subtle">Tasks of one project can depend on each other. This one is in none.</p>
      ) : isAdding ? (
        <NewDependency task={task} project={task.project} onClose={() => setAdding(false)} />
      ) : (
        <Button kind="quiet" size="s" icon={Plus} className="task-begin" onClick={() => setAdding(true)}>
          Add a task
        </Button>
      )}
    </div>
  )
}

function DependencyView({ dependency }: { readonly dependency: Dependency }) {
  const { id, from, to, kind, workspace } = dependency
  const { data } = useTask(to)
  const drop = useWrite({
    write: (atrium, _: null) => atrium.tasks.dependencies.delete(from, id),
    changes: () => [remove('dependency', id)],
    done: () => 'Dependency removed',
    undo: () => (atrium) => atrium.tasks.dependencies.create(from, { workspace, to, kind: kind as DependencyKind }),
  })
  return (
    <li className="row task-line">
      <Badge>{dependencyNames[kind] ?? kind}</Badge>
      {data && <StatusMark status={data.status} />}
      <Link href={`/work/tasks/${data?.key ?? to}`} className="row grow">
        <span className="task-key numbers">{data?.key}</span>
        <span className="cut">{data?.title ?? to}</span>
      </Link>
      <IconButton icon={X} label={`Remove ${data?.key ?? to}`} size="s" onClick={() => void drop.run(null)} />
    </li>
  )
}

interface NewDependencyProps {
  readonly task: Task
  readonly project: string
  readonly onClose: () => void
}

function NewDependency({ task, project, onClose }: NewDependencyProps) {
  const [kind, setKind] = useState<DependencyKind>('blocks')
  const others = useAll<Task>(
    'task',
    { project, choose: true },
    (atrium) => atrium.tasks.list({ project, limit: 100 }),
    { max: board_tasks_max },
  )
  const write = useWrite({
    write: (atrium, to: string) => atrium.tasks.dependencies.create(task.id, { workspace: task.workspace, to, kind }),
    touches: ['dependency'],
    done: () => 'Dependency added',
    undo:
      ({ id }) =>
      (atrium) =>
        atrium.tasks.dependencies.delete(task.id, id),
    toastErrors: false,
  })
  const add = async (to: string | undefined) => {
    if (to !== undefined && (await write.run(to)) !== undefined) onClose()
  }
  const options = (others.data ?? [])
    .filter(({ id }) => id !== task.id)
    .map(({ id, key, title }) => ({ value: id, label: title, hint: key }))
  return (
    <div className="stack" style={{ gap: 'var(--s-2)' }}>
      <div className="row">
        <Select
          aria-label="How it depends"
          value={kind}
          choices={dependencyKinds.map((value) => ({ value, label: dependencyNames[value] ?? value }))}
          onChange={setKind}
        />
        <Combobox label="Task" options={options} value={[]} onChange={([to]) => void add(to)} />
        <IconButton icon={X} label="Add none" onClick={onClose} />
      </div>
      <FormError error={write.error} />
    </div>
  )
}
