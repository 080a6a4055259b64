/** The open tasks of the signed-in person, by what they ask for: overdue, today, waiting on me, blocked, next. */
import type { Task } from '@atrium/sdk'
import { CircleCheck, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { useProjects } from '../../../app/tasks/reads.ts'
import { isOpen } from '../../../app/tasks/values.ts'
import { useAll, useSession, useUrlPanel, useUrlParam } from '../../../data/index.ts'
import { Button, Empty, Page, useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useHiddenTasks } from '../deletions.ts'
import { blockingOf } from '../dependency-marks.tsx'
import { useShownFields } from '../field-columns.tsx'
import { ListBody, RowSkeletons } from '../list-body.tsx'
import { readCollapsed, writeCollapsed } from '../list-groups.ts'
import { useListPlace, useShownPlace } from '../list-place.ts'
import { openNewTask } from '../new-task.ts'
import { useManyRelations } from '../task-relations.ts'
import type { TaskRows } from '../task-rows.ts'
import { panel_params, TaskSheet } from '../task-sheet.tsx'
import { isTaskRow } from '../task-tree.ts'
import { rowsOf, sectionsOf } from './sections.ts'

/** Open tasks of a person that are read; the page says when there are more. */
const tasks_max = 500
const sort = 'due_at,-priority'
const no_tasks: readonly Task[] = []

export function MyWorkPage() {
  const { user } = useSession()
  const { value: open, open: onOpen, close } = useUrlPanel('task', panel_params)
  const place = useListPlace()
  const filter = `assignee = ${user.id} AND NOT status IN (done, canceled)`
  const read = useAll<Task>('task', { filter, sort }, (atrium) => atrium.tasks.list({ filter, sort, limit: 100 }), {
    max: tasks_max,
  })
  const add = () => openNewTask()
  return (
    <Page
      title={t('My work')}
      width="full"
      fixed
      actions={
        <Button kind="primary" icon={Plus} onClick={add}>
          {t('New task')}
        </Button>
      }
    >
      <div className="tasks-frame" aria-busy={read.data === undefined && !read.error}>
        {read.data === undefined ? (
          read.error ? (
            <ErrorState error={read.error} onRetry={() => void read.refetch()} plain />
          ) : (
            <RowSkeletons />
          )
        ) : (
          <Rows tasks={read.data} {...{ filter, user: user.id, open, onOpen, onAdd: add }} />
        )}
      </div>
      {open !== null && <TaskSheet id={open} place={place} onClose={close} onOpen={onOpen} />}
    </Page>
  )
}

interface RowsProps {
  readonly tasks: readonly Task[]
  readonly filter: string
  readonly user: string
  readonly open: string | null
  readonly onOpen: (key: string) => void
  readonly onAdd: () => void
}

function Rows({ tasks: read, filter, user, open, onOpen, onAdd }: RowsProps) {
  const hidden = useHiddenTasks()
  // A change is shown at once, also one that takes the task away from the person.
  const tasks = useMemo(
    () => read.filter((task) => task.assignee === user && isOpen(task.status) && !hidden.has(task.id)),
    [read, user, hidden],
  )
  const sections = useSections(tasks)
  const [text, setText] = useUrlParam('collapsed', '', { typed: true })
  const collapsed = useMemo(() => readCollapsed(text), [text])
  const rows = useMemo(() => rowsOf(sections, collapsed), [sections, collapsed])
  const at = (index: number) => rows[index]
  const { fields } = useShownFields()
  const projects = useProjects().data
  useShownPlace(open, { count: rows.length, at })
  if (tasks.length === 0) return <NothingToDo onAdd={onAdd} />
  const toggle = (index: number) => {
    const row = rows[index]
    if (row === undefined || isTaskRow(row)) return
    const next = new Set(collapsed)
    if (!next.delete(row.group)) next.add(row.group)
    setText(writeCollapsed(next))
  }
  return (
    <ListBody
      list={listOf(tasks)}
      count={tasks.length}
      {...{ filter, sort, projects, fields, onOpen }}
      rows={{ count: rows.length, at, onRange: ignore, toggle }}
      isGrouped={false}
      task={open}
      note={read.length >= tasks_max ? t(', the first by due date') : ''}
      foot={null}
    />
  )
}

function useSections(tasks: readonly Task[]) {
  const now = useNow()
  const relations = useManyRelations(tasks)
  return sectionsOf(tasks, now, {
    blocks: (id) => blockingOf(id, relations.get(id)?.rows ?? []).blocked.length > 0,
    isBlocked: (id) => blockingOf(id, relations.get(id)?.rows ?? []).blockers.length > 0,
  })
}

function ignore() {}

/** All tasks are read, so the list has no pages. */
function listOf(tasks: readonly Task[]): TaskRows {
  return {
    count: tasks.length,
    isCounted: true,
    at: (index) => tasks[index],
    firstPage: no_tasks,
    error: null,
    hasFailures: false,
    isStale: false,
    onRange: ignore,
    refresh: ignore,
  }
}

function NothingToDo({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <Empty
      plain
      icon={CircleCheck}
      title={t('No open tasks are assigned to you')}
      actions={
        <Button icon={Plus} onClick={onAdd}>
          {t('New task')}
        </Button>
      }
    >
      {t('Tasks that are assigned to you appear here by their due date, with those that others wait for.')}
    </Empty>
  )
}
