/** The dependencies of a task in both directions: what blocks it, what it blocks, and how it relates to other tasks. */
import type { Task } from '@atrium/sdk'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { ErrorState } from '../../app/error-state.tsx'
import { StatusMark } from '../../app/tasks/marks.tsx'
import { type DependencyKind, dependencyKinds, isOpen } from '../../app/tasks/values.ts'
import { describeError, useWrite } from '../../data/index.ts'
import { Badge, Button, IconButton, inWords, Notice, Select, SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { blockingOf } from './dependency-marks.tsx'
import { useTaskHref } from './subtask-reads.ts'
import { TaskChoice } from './task-choice.tsx'
import { type Relation, useRelations } from './task-relations.ts'

/** A kind, seen from the task at either end. */
type Direction = 'out' | 'in'
type Choice = `${DependencyKind} ${Direction}`

const texts: Readonly<Record<string, { readonly out: string; readonly in: string }>> = {
  blocks: { out: t('Blocks'), in: t('Blocked by') },
  precedes: { out: t('Precedes'), in: t('Follows') },
  relates_to: { out: t('Relates to'), in: t('Relates to') },
  duplicates: { out: t('Duplicates'), in: t('Duplicated by') },
}

function textOf(kind: string, direction: Direction): string {
  return texts[kind]?.[direction] ?? inWords(kind)
}

const choices = dependencyKinds.flatMap((kind) =>
  (kind === 'relates_to' ? (['out'] as const) : (['in', 'out'] as const)).map((direction) => ({
    value: `${kind} ${direction}` as Choice,
    label: textOf(kind, direction),
  })),
)

export function Dependencies({ task }: { readonly task: Task }) {
  const [isAdding, setAdding] = useState(false)
  const { data, error, refetch } = useRelations(task)
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} plain />
  if (data === undefined) return <SkeletonLines lines={1} />
  const { blockers } = blockingOf(task.id, data.rows)
  return (
    <div className="stack" style={{ gap: 'var(--s-1)' }}>
      {blockers.length > 0 && isOpen(task.status) && (
        <Notice tone="warn">
          {t('Blocked by {count, plural, one {an open task} other {# open tasks}}.', { count: blockers.length })}
        </Notice>
      )}
      {data.rows.length > 0 && (
        <ul aria-label={t('Dependencies')}>
          {data.rows.map((row) => (
            <DependencyView key={row.id} task={task} row={row} />
          ))}
        </ul>
      )}
      {task.is_archived ? null : task.project === null ? (
        <p className="subtle">
          {t('Only tasks in a project can have dependencies. Add this task to a project first.')}
        </p>
      ) : isAdding ? (
        <NewDependency task={task} project={task.project} taken={data.rows} onClose={() => setAdding(false)} />
      ) : (
        <Button kind="quiet" size="s" icon={Plus} className="task-begin" onClick={() => setAdding(true)}>
          {t('Add dependency')}
        </Button>
      )}
    </div>
  )
}

function DependencyView({ task, row }: { readonly task: Task; readonly row: Relation }) {
  const { id, from, to, kind, other } = row
  const hrefOf = useTaskHref()
  const deletion = useWrite({
    write: (atrium, _: null) => atrium.tasks.dependencies.delete(from, id),
    invalidates: ['dependency'],
    done: () => t('Dependency removed'),
    undo: () => (atrium) =>
      atrium.tasks.dependencies.create(from, { workspace: task.workspace, to, kind: kind as DependencyKind }),
  })
  return (
    <li className="row task-line">
      <Badge>{textOf(kind, from === task.id ? 'out' : 'in')}</Badge>
      <StatusMark status={other.status} />
      <Link href={hrefOf(other.key)} className="row grow">
        <span className="task-key numbers">{other.key}</span>
        <span className="cut">{other.title}</span>
      </Link>
      {!task.is_archived && (
        <IconButton
          icon={X}
          label={t('Remove {key}', { key: other.key })}
          size="s"
          onClick={() => void deletion.run(null)}
        />
      )}
    </li>
  )
}

interface NewDependencyProps {
  readonly task: Task
  readonly project: string
  readonly taken: readonly Relation[]
  readonly onClose: () => void
}

function NewDependency({ task, project, taken, onClose }: NewDependencyProps) {
  const [choice, setChoice] = useState<Choice>('blocks in')
  const [refusal, setRefusal] = useState<string | null>(null)
  const [kind, direction] = choice.split(' ') as [DependencyKind, Direction]
  const write = useWrite({
    write: (atrium, other: Task) => {
      const [from, to] = direction === 'out' ? [task, other] : [other, task]
      return atrium.tasks.dependencies.create(from.id, { workspace: task.workspace, to: to.id, kind })
    },
    invalidates: ['dependency'],
    done: () => t('Dependency added'),
    undo:
      ({ id, from }) =>
      (atrium) =>
        atrium.tasks.dependencies.delete(from, id),
    toastErrors: false,
  })
  const add = async (other: Task | null) => {
    if (other === null) return
    const fault = faultOf(task, other, taken, kind, direction)
    setRefusal(fault)
    if (fault === null && (await write.run(other, onClose)) !== undefined) onClose()
  }
  const shown = refusal ?? (write.error === null ? null : refusalOf(write.error))
  return (
    <div className="stack" style={{ gap: 'var(--s-2)' }}>
      <div className="row dependency-new">
        <Select
          aria-label={t('Kind of dependency')}
          value={choice}
          choices={choices}
          onChange={(next) => {
            setChoice(next)
            setRefusal(null)
            write.reset()
          }}
        />
        <TaskChoice
          isFirstOpen
          label={t('Task')}
          workspace={task.workspace}
          project={project}
          without={[task.id]}
          onChoose={(other) => void add(other)}
        />
        <IconButton icon={X} label={t('Cancel')} onClick={onClose} />
      </div>
      <p className="subtle">{t('Tasks of the same project. A key finds any task.')}</p>
      {shown !== null && (
        <p className="task-refusal" role="alert">
          {shown}
        </p>
      )}
    </div>
  )
}

/** Why a dependency cannot be, as far as the page knows. */
function faultOf(
  task: Task,
  other: Task,
  taken: readonly Relation[],
  kind: DependencyKind,
  direction: Direction,
): string | null {
  if (other.project !== task.project) {
    return t('{key} is in another project. Only tasks of one project can depend on each other.', { key: other.key })
  }
  const isSame = (row: Relation) =>
    row.kind === kind && row.other.id === other.id && (row.from === task.id) === (direction === 'out')
  return taken.some(isSame)
    ? t('{key} and {key2} have this dependency already.', { key: task.key, key2: other.key })
    : null
}

function refusalOf(error: unknown): string {
  const { text } = describeError(error)
  return /cycle/.test(text) ? t('This would create a cycle: the tasks would wait for each other.') : text
}
