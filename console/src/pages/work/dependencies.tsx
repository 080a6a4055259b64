/** The dependencies of a task on others of its project: blocks, precedes, relates to, duplicates. */
import type { Dependency, Task } from '@atrium/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState, FormError } from '../../app/error-state.tsx'
import { remove, useAll, useWrite } from '../../data/index.ts'
import { Badge, Button, Combobox, IconButton, inWords, Select, SkeletonLines } from '../../design/index.ts'
import { StatusMark } from './marks.tsx'
import { board_tasks_max, useTask } from './reads.ts'
import { type DependencyKind, dependencyKinds } from './task-values.ts'

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
        <p className="subtle">Only tasks in a project can have dependencies. Add this task to a project first.</p>
      ) : isAdding ? (
        <NewDependency task={task} project={task.project} onClose={() => setAdding(false)} />
      ) : (
        <Button kind="quiet" size="s" icon={Plus} className="task-begin" onClick={() => setAdding(true)}>
          Add dependency
        </Button>
      )}
    </div>
  )
}

function DependencyView({ dependency }: { readonly dependency: Dependency }) {
  const { id, from, to, kind, workspace } = dependency
  const { data, error } = useTask(to)
  const deletion = useWrite({
    write: (atrium, _: null) => atrium.tasks.dependencies.delete(from, id),
    changes: () => [remove('dependency', id)],
    done: () => 'Dependency removed',
    undo: () => (atrium) => atrium.tasks.dependencies.create(from, { workspace, to, kind: kind as DependencyKind }),
  })
  const title = data?.title ?? (error === null ? '…' : 'Deleted task')
  return (
    <li className="row task-line">
      <Badge>{inWords(kind)}</Badge>
      {data && <StatusMark status={data.status} />}
      <Link href={`/work/tasks/${data?.key ?? to}`} className="row grow">
        <span className="task-key numbers">{data?.key}</span>
        <span className="cut">{title}</span>
      </Link>
      <IconButton icon={X} label={`Remove ${data?.key ?? title}`} size="s" onClick={() => void deletion.run(null)} />
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
    invalidates: ['dependency'],
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
          aria-label="Kind of dependency"
          value={kind}
          choices={dependencyKinds.map((value) => ({ value, label: inWords(value) }))}
          onChange={setKind}
        />
        <Combobox label="Task" options={options} value={[]} onChange={([to]) => void add(to)} />
        <IconButton icon={X} label="Cancel" onClick={onClose} />
      </div>
      <FormError error={write.error} />
    </div>
  )
}
