/** All tasks, filtered by an expression and sorted; which ones stands in the URL. */
import type { Task } from '@atrium/sdk'
import { ListChecks, Plus, RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useMode, useUrlParam } from '../../data/index.ts'
import { Button, Empty, Page, Select, Skeleton, useNow } from '../../design/index.ts'
import { BulkBar } from './bulk-bar.tsx'
import { FilterField } from './filter-field.tsx'
import { newTask } from './new-task.ts'
import { useProjects } from './reads.ts'
import { SavedFilters, useSavedFilters } from './saved-filters.tsx'
import { TaskList } from './task-list.tsx'
import { filterFault, type TaskRows, useTaskRows } from './task-rows.ts'
import { TaskSheet } from './task-sheet.tsx'

const sorts = [
  { value: '', label: 'Newest first' },
  { value: '-updated', label: 'Last changed' },
  { value: 'due_at', label: 'Due first' },
  { value: '-priority,due_at', label: 'Most urgent' },
  { value: 'title', label: 'By title' },
  { value: 'created', label: 'Oldest first' },
]

/** As the list comes without a sort, and what says so over a saved filter that has one. */
const newest = ''
const newest_written = '-created'

const inThousands = new Intl.NumberFormat('en')

export function TasksPage() {
  const mode = useMode()
  const [task, setTask] = useUrlParam('task')
  const question = useQuestion()
  const { filter, sort, saved } = question
  const list = useTaskRows({ filter, sort, enabled: question.isKnown })
  const projects = useProjects().data
  const vocabulary = useVocabulary(list.firstPage, useDirectory().active, projects)
  const fault = filterFault(list.error)
  return (
    <Page
      title="Tasks"
      width="full"
      fixed
      actions={
        <>
          <SavedFilters current={saved} filter={filter} sort={sort} onChoose={question.choose} />
          <Button kind="primary" icon={Plus} onClick={() => newTask()}>
            New task
          </Button>
        </>
      }
      tabs={
        <div className="tasks-tools">
          <FilterField value={filter} onApply={question.apply} fault={fault} vocabulary={vocabulary} />
          <Select
            aria-label="Sort"
            value={sort}
            choices={
              sorts.some(({ value }) => value === sort)
                ? sorts
                : [...sorts, { value: sort, label: `Sorted by ${sort}` }]
            }
            onChange={question.sortBy}
          />
        </div>
      }
    >
      <div className="tasks-frame" key={mode} aria-busy={list.count === undefined && !list.error}>
        {fault !== null ? (
          <Empty plain title="The filter cannot be read">
            Mend what is marked above, then press Enter.
          </Empty>
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={list.refresh} plain />
        ) : list.count === undefined ? (
          <RowsComing />
        ) : list.count === 0 ? (
          <NoTasks isFiltered={filter !== ''} onClear={() => question.apply('')} />
        ) : (
          <Rows
            key={`${sort} ${filter}`}
            list={list}
            count={list.count}
            task={task}
            onOpen={setTask}
            projects={projects}
          />
        )}
      </div>
      {task !== null && <TaskSheet id={task} onClose={() => setTask(null)} />}
    </Page>
  )
}

interface RowsProps {
  readonly list: TaskRows
  readonly count: number
  /** Whose panel is open. */
  readonly task: string | null
  readonly onOpen: (key: string) => void
  readonly projects: readonly Named[] | undefined
}

function Rows({ list, count, task, onOpen, projects }: RowsProps) {
  const { nameOf } = useDirectory()
  const selection = useSelection()
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects])
  const projectName = useCallback((id: string) => names.get(id) ?? '', [names])
  return (
    <>
      <TaskList
        count={count}
        rowAt={list.at}
        onSee={list.see}
        selected={selection.ids}
        onSelect={selection.toggle}
        onOpen={onOpen}
        current={task}
        nameOf={nameOf}
        projectName={projectName}
      />
      <div className="tasks-foot">
        <span className="subtle numbers" role="status">
          {inThousands.format(count)} {count === 1 && list.isCounted ? 'task' : 'tasks'}
        </span>
        {list.isBroken && (
          <Button size="s" icon={RefreshCw} onClick={list.refresh}>
            Some tasks could not be read: try again
          </Button>
        )}
        {list.isStale && (
          <Button size="s" icon={RefreshCw} onClick={list.refresh}>
            There are changes: read again
          </Button>
        )}
      </div>
      {selection.tasks.length > 0 && <BulkBar tasks={selection.tasks} onClear={selection.clear} />}
    </>
  )
}

/** Filter and sort as the URL says, over those of the saved filter it names. */
function useQuestion() {
  const [filterParam, setFilter] = useUrlParam('filter')
  const [sortParam, setSort] = useUrlParam('sort')
  const [savedParam, setSaved] = useUrlParam('saved')
  const filters = useSavedFilters()
  const saved = filters.data?.find(({ id }) => id === savedParam)
  return {
    filter: filterParam ?? saved?.filter ?? '',
    sort: sortParam === newest_written ? newest : (sortParam ?? saved?.sort ?? newest),
    saved,
    /** What the saved filter asks for is not known before it has been read. */
    isKnown: savedParam === null || filters.data !== undefined || filters.isError,
    apply: (text: string) => {
      setFilter(text === saved?.filter ? null : text)
      if (text === '') setSaved(null)
    },
    sortBy: (sort: string) => setSort(sort === (saved?.sort ?? newest) ? null : sort || newest_written),
    choose: (id: string | null) => {
      setFilter(null)
      setSort(null)
      setSaved(id)
    },
  }
}

function useSelection() {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Task>>(new Map())
  const toggle = useCallback((task: Task) => {
    setChosen((was) => {
      const next = new Map(was)
      if (!next.delete(task.id)) next.set(task.id, task)
      return next
    })
  }, [])
  const ids = useMemo(() => new Set(chosen.keys()), [chosen])
  const tasks = useMemo(() => [...chosen.values()], [chosen])
  return { ids, tasks, toggle, clear: useCallback(() => setChosen(new Map()), []) }
}

type Named = { readonly id: string; readonly name: string }

function useVocabulary(
  rows: readonly Task[] | undefined,
  people: readonly Named[],
  projects: readonly Named[] | undefined,
) {
  const now = useNow()
  // The first rows tell which labels are in use.
  const labels = useMemo(() => [...new Set(rows?.flatMap((row) => row.labels))].toSorted(), [rows])
  return useMemo(() => ({ people, projects: projects ?? [], labels, now }), [people, projects, labels, now])
}

function NoTasks({ isFiltered, onClear }: { readonly isFiltered: boolean; readonly onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty
        plain
        icon={ListChecks}
        title="No task is like that"
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        Tasks of archived projects are left out unless the filter says <code>is_archived = true</code>.
      </Empty>
    )
  }
  return (
    <Empty
      plain
      icon={ListChecks}
      title="No tasks yet"
      actions={
        <Button kind="primary" icon={Plus} onClick={() => newTask()}>
          New task
        </Button>
      }
    >
      A task is a piece of work with a status, somebody who does it and a time by which it is due. Press <kbd>c</kbd>{' '}
      anywhere to make one, or send one to <code>POST /v1/tasks</code>.
    </Empty>
  )
}

function RowsComing() {
  return Array.from({ length: 12 }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div className="task-row" key={at} style={{ position: 'relative' }}>
      <Skeleton width={`${40 + ((at * 7) % 30)}%`} />
    </div>
  ))
}
