/** The list of tasks, with a filter expression and a sort order, both in the URL. */
import type { Task } from '@atrium/sdk'
import { ListChecks, Plus, RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { useDirectory, useMode, useUrlParam } from '../../data/index.ts'
import { Button, Empty, Page, Select, Skeleton, useNow } from '../../design/index.ts'
import { BulkBar } from './bulk-bar.tsx'
import { FilterField } from './filter-field.tsx'
import { openNewTask } from './new-task.ts'
import { useProjects } from './reads.ts'
import { SavedFilters, useSavedFilters } from './saved-filters.tsx'
import { TaskList } from './task-list.tsx'
import { type FilterFault, filterFault, type TaskRows, useTaskRows } from './task-rows.ts'
import { TaskSheet } from './task-sheet.tsx'

const sorts = [
  { value: '', label: 'Newest first' },
  { value: '-updated', label: 'Recently updated' },
  { value: 'due_at', label: 'Due date' },
  { value: '-priority,due_at', label: 'Priority' },
  { value: 'title', label: 'Title' },
  { value: 'created', label: 'Oldest first' },
]

/** The default sort order, and the parameter that selects it over the sort order of a saved filter. */
const newest = ''
const newest_param = '-created'

export function TasksPage() {
  const mode = useMode()
  const [task, setTask] = useUrlParam('task')
  const query = useTaskQuery()
  const { filter, sort, saved } = query
  const list = useTaskRows({ filter, sort, enabled: query.isKnown })
  const projects = useProjects().data
  const vocabulary = useVocabulary(list.firstPage, useDirectory().active, projects)
  const fault = filterFault(list.error)
  const isKnownSort = sorts.some(({ value }) => value === sort)
  return (
    <Page
      title="Tasks"
      width="full"
      fixed
      actions={
        <>
          <SavedFilters current={saved} filter={filter} sort={sort} onChoose={query.choose} />
          <NewTaskButton />
        </>
      }
      tabs={
        <div className="tasks-tools">
          <FilterField value={filter} onApply={query.apply} fault={fault} vocabulary={vocabulary} />
          <Select
            aria-label="Sort"
            value={sort}
            choices={isKnownSort ? sorts : [...sorts, { value: sort, label: `Custom: ${sort}` }]}
            onChange={query.sortBy}
          />
        </div>
      }
    >
      <div className="tasks-frame" key={mode} aria-busy={list.count === undefined && !list.error}>
        <Content list={list} fault={fault} filter={filter} onClear={() => query.apply('')}>
          {(count) => <Rows key={`${sort} ${filter}`} {...{ list, count, task, projects }} onOpen={setTask} />}
        </Content>
      </div>
      {task !== null && <TaskSheet id={task} onClose={() => setTask(null)} />}
    </Page>
  )
}

function NewTaskButton() {
  return (
    <Button kind="primary" icon={Plus} onClick={() => openNewTask()}>
      New task
    </Button>
  )
}

interface ContentProps {
  readonly list: TaskRows
  readonly fault: FilterFault | null
  readonly filter: string
  readonly onClear: () => void
  readonly children: (count: number) => React.ReactNode
}

/** The rows, or what is shown instead of them. */
function Content({ list, fault, filter, onClear, children }: ContentProps) {
  if (fault !== null) {
    return (
      <Empty plain title="The filter is not valid">
        Fix the highlighted part, then press Enter.
      </Empty>
    )
  }
  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} plain />
  if (list.count === undefined) return <RowSkeletons />
  if (list.count > 0) return children(list.count)
  return filter === '' ? <NoTasks /> : <NoMatches onClear={onClear} />
}

interface Named {
  readonly id: string
  readonly name: string
}

interface RowsProps {
  readonly list: TaskRows
  readonly count: number
  /** The task that is open. */
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
        onRange={list.onRange}
        selected={selection.ids}
        onSelect={selection.toggle}
        onOpen={onOpen}
        current={task}
        nameOf={nameOf}
        projectName={projectName}
      />
      <div className="tasks-foot">
        <span className="subtle numbers" role="status">
          {count.toLocaleString('en')} {count === 1 && list.isCounted ? 'task' : 'tasks'}
        </span>
        {list.hasFailures && (
          <Button size="s" icon={RefreshCw} onClick={list.refresh}>
            Some tasks could not be loaded. Retry
          </Button>
        )}
        {list.isStale && (
          <Button size="s" icon={RefreshCw} onClick={list.refresh}>
            Tasks have changed. Refresh
          </Button>
        )}
      </div>
      {selection.tasks.length > 0 && <BulkBar tasks={selection.tasks} onClear={selection.clear} />}
    </>
  )
}

/** The filter and sort order of the URL, or else those of the saved filter it names. */
function useTaskQuery() {
  const [filterParam, setFilter] = useUrlParam('filter')
  const [sortParam, setSort] = useUrlParam('sort')
  const [savedParam, setSaved] = useUrlParam('saved')
  const filters = useSavedFilters()
  const saved = filters.data?.find(({ id }) => id === savedParam)
  return {
    filter: filterParam ?? saved?.filter ?? '',
    sort: sortParam === newest_param ? newest : (sortParam ?? saved?.sort ?? newest),
    saved,
    /** False until the saved filter is read. */
    isKnown: savedParam === null || filters.data !== undefined || filters.isError,
    apply: (text: string) => {
      setFilter(text === saved?.filter ? null : text)
      if (text === '') setSaved(null)
    },
    sortBy: (sort: string) => setSort(sort === (saved?.sort ?? newest) ? null : sort || newest_param),
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

/** Suggests the labels of the first page. */
function useVocabulary(
  rows: readonly Task[] | undefined,
  people: readonly Named[],
  projects: readonly Named[] | undefined,
) {
  const now = useNow()
  const labels = useMemo(() => [...new Set(rows?.flatMap((row) => row.labels))].toSorted(), [rows])
  return useMemo(() => ({ people, projects: projects ?? [], labels, now }), [people, projects, labels, now])
}

function NoMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <Empty plain icon={ListChecks} title="No tasks match" actions={<Button onClick={onClear}>Clear filter</Button>}>
      Tasks of archived projects are listed only if the filter contains <code>is_archived = true</code>.
    </Empty>
  )
}

function NoTasks() {
  return (
    <Empty plain icon={ListChecks} title="No tasks yet" actions={<NewTaskButton />}>
      A task has a status, an assignee and a due date. Press <kbd>c</kbd> on any page to create one.
    </Empty>
  )
}

function RowSkeletons() {
  return Array.from({ length: 12 }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div className="task-row" key={index} style={{ position: 'relative' }}>
      <Skeleton width={`${40 + ((index * 7) % 30)}%`} />
    </div>
  ))
}
