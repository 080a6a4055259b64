/** The list of tasks, with a filter expression and a sort order, both in the URL. */
import type { Column, Project } from '@atrium/sdk'
import { ListChecks, ListTree, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { ErrorState } from '../../app/error-state.tsx'
import { FilterBar, NoMatches } from '../../app/filter/bar.tsx'
import { type FilterFault, filterFault } from '../../app/filter/fault.ts'
import type { Vocabulary } from '../../app/filter/values.ts'
import { useFilterFields, useVocabulary } from '../../app/filter/vocabulary.ts'
import { type Layout, LayoutLinks } from '../../app/layout-links.tsx'
import { useColumns, useProjects } from '../../app/tasks/reads.ts'
import { useDirectory, useMode, useUrlChange, useUrlPanel, useUrlParam } from '../../data/index.ts'
import { Button, Empty, IconButton, Page, Select } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'
import { FieldsHead, fieldSorts, type ShownField, ShownFieldsMenu, useShownFields } from './field-columns.tsx'
import { GroupedRows } from './grouped-rows.tsx'
import { useTaskQuery } from './layout-query.ts'
import { ListBody, type ListBodyProps, ListFreshness, RowSkeletons } from './list-body.tsx'
import { dueBounds, groupChoices, onlyProject } from './list-groups.ts'
import { useListPlace, useShownPlace } from './list-place.ts'
import { openNewTask } from './new-task.ts'
import { useTasksHead } from './project-head.tsx'
import { SavedFilters } from './saved-filters.tsx'
import { grouped_rows_max, roots_filter, useGrouping, useTaskGroups } from './task-groups.ts'
import { type TaskRows, useTaskRows } from './task-rows.ts'
import { panel_params, TaskSheet } from './task-sheet.tsx'

/** The order that people give the tasks of a project by hand. */
const manual = 'position'
const manual_sort = { value: manual, label: t('Manual') }
/** The parameter that turns off the groups of a list in manual order. */
const no_groups = 'none'
const no_columns: readonly Column[] = []

const sorts = [
  { value: '', label: t('Newest first') },
  { value: '-updated', label: t('Recently updated') },
  { value: 'due_at', label: t('Due date') },
  { value: '-priority,due_at', label: t('Priority') },
  { value: 'title', label: t('Title') },
  { value: 'created', label: t('Oldest first') },
]

export function TasksPage() {
  return <TasksLayout layout="list" title={t('Tasks')} />
}

interface TasksLayoutProps {
  readonly layout: Layout
  readonly title: string
  /** Draws the rows; the list without it. */
  readonly view?: ListBodyProps['view']
  /** Tools of the layout, below those of the query. */
  readonly tools?: React.ReactNode
}

/** Tasks by row, in a layout: query, groups, selection and the open task are the same in all of them. */
export function TasksLayout({ layout, title, view, tools }: TasksLayoutProps) {
  const mode = useMode()
  const { value: task, open, close } = useUrlPanel('task', panel_params)
  const place = useListPlace()
  const query = useTaskQuery()
  const { filter, sort } = query
  const projects = useProjects().data
  const project = useMemo(() => projectOf(filter, projects ?? []), [filter, projects])
  const grouping = useGroupBy(project, sort, query.group)
  const { by, nestsSubtasks: isGrouped } = grouping
  const list = useTaskRows({
    filter: isGrouped && filter === '' ? roots_filter : filter,
    sort,
    enabled: query.isKnown,
  })
  const vocabulary = useVocabulary(list.firstPage)
  const fault = filterFault(list.error)
  const { head, tools: projectTools, barOf } = useTasksHead(title, filter, query.apply)
  const bar = barOf(fault)
  const { fields, isPending } = useShownFields(query.saved?.columns ?? null)
  return (
    <Page
      {...head}
      width="full"
      fixed
      actions={<Actions {...{ layout, query, by, fields }}>{projectTools}</Actions>}
      tabs={
        <>
          <Tools {...{ query, bar, grouping, project, fields, vocabulary }} />
          {tools}
        </>
      }
    >
      <div
        className="tasks-frame"
        key={mode}
        data-of-project={projectTools !== null || undefined}
        aria-busy={list.count === undefined && !list.error}
      >
        <Content
          list={isPending ? { ...list, count: undefined } : list}
          {...{ fault, vocabulary }}
          filter={bar.value}
          onApply={bar.onApply}
        >
          {(count) => {
            const shown = { list, count, filter, sort, task, projects, fields, onOpen: open, ...(view && { view }) }
            return (
              <>
                {view === undefined && <FieldsHead fields={fields} sort={sort} onSort={query.sortBy} />}
                {by === null ? (
                  <Rows key={`${sort} ${isGrouped} ${filter}`} {...shown} isGrouped={isGrouped} />
                ) : (
                  <Groups key={`${sort} ${by} ${filter}`} {...shown} {...{ by, vocabulary, project }} />
                )}
              </>
            )
          }}
        </Content>
      </div>
      {task !== null && <TaskSheet id={task} place={place} onClose={close} onOpen={open} />}
    </Page>
  )
}

interface ActionsProps {
  readonly layout: Layout
  readonly query: ReturnType<typeof useTaskQuery>
  readonly by: string | null
  readonly fields: readonly ShownField[]
  /** Those of the project. */
  readonly children: React.ReactNode
}

function Actions({ layout, query: { filter, sort, saved, choose }, by, fields, children }: ActionsProps) {
  return (
    <>
      <LayoutLinks current={layout} filter={filter} />
      <SavedFilters
        current={saved}
        {...{ filter, sort, layout }}
        group={by}
        columns={fields.map(({ key }) => key)}
        onChoose={choose}
      />
      {children}
      <NewTaskButton />
    </>
  )
}

interface ToolsProps {
  readonly query: ReturnType<typeof useTaskQuery>
  readonly bar: ReturnType<ReturnType<typeof useTasksHead>['barOf']>
  readonly grouping: Grouping
  readonly project: Project | null
  readonly fields: readonly ShownField[]
  readonly vocabulary: Vocabulary
}

/** Filter, order, groups and columns of the list. */
function Tools({ query, bar, grouping, project, fields, vocabulary }: ToolsProps) {
  const { sort, sortBy } = query
  const { by, choices, groupBy, nestsSubtasks, nestSubtasks } = grouping
  const known = [...sorts, ...(project === null ? [] : [manual_sort]), ...fieldSorts(fields)]
  const isKnownSort = known.some(({ value }) => value === sort)
  return (
    <div className="tasks-tools">
      <FilterBar {...bar} vocabulary={vocabulary} />
      <Select
        aria-label={t('Sort')}
        value={sort}
        choices={isKnownSort ? known : [...known, { value: sort, label: t('Custom: {sort}', { sort }) }]}
        onChange={sortBy}
      />
      <Select aria-label={t('Group by')} value={by ?? ''} choices={choices} onChange={groupBy} />
      <IconButton
        icon={ListTree}
        label={t('Group subtasks')}
        kind="plain"
        pressed={nestsSubtasks}
        disabled={by !== null}
        onClick={() => nestSubtasks(!nestsSubtasks)}
      />
      <ShownFieldsMenu />
    </div>
  )
}

interface GroupsProps extends Omit<RowsProps, 'isGrouped'> {
  readonly by: string
  readonly vocabulary: Vocabulary
  readonly project: Project | null
}

/** The list in groups. */
function Groups({ vocabulary, project, ...props }: GroupsProps) {
  const { nameOf } = useDirectory()
  const { columns = no_columns, isPending } = useColumns(project?.id ?? null)
  const { projects, fields, now } = vocabulary
  const [today] = dueBounds(now)
  // The names stay the same while the clock moves on within a day.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const names = useMemo(() => ({ nameOf, projects, columns, fields, now }), [nameOf, projects, columns, fields, today])
  if (props.by === 'column' && isPending) return <RowSkeletons />
  const isManual = props.by === 'column' && props.sort === manual && props.view === undefined
  return <GroupedRows {...props} names={names} columns={columns} project={isManual ? project : null} />
}

/** The only project of a filter. */
function projectOf(filter: string, projects: readonly Project[]): Project | null {
  const id = onlyProject(filter, projects)
  return projects.find((each) => each.id === id) ?? null
}

function NewTaskButton() {
  return (
    <Button kind="primary" icon={Plus} onClick={() => openNewTask()}>
      {t('New task')}
    </Button>
  )
}

interface ContentProps {
  readonly list: TaskRows
  readonly fault: FilterFault | null
  readonly filter: string
  readonly onApply: (text: string) => void
  readonly vocabulary: Vocabulary
  readonly children: (count: number) => React.ReactNode
}

/** The rows, or what is shown instead of them. */
function Content({ list, fault, filter, onApply, vocabulary, children }: ContentProps) {
  if (fault !== null) {
    return (
      <Empty plain title={t('The filter is not valid')}>
        {t('Fix the highlighted part, then press Enter.')}
      </Empty>
    )
  }
  if (list.error) return <ErrorState error={list.error} onRetry={list.refresh} plain />
  if (list.count === undefined) return <RowSkeletons />
  if (list.count > 0) return children(list.count)
  return filter === '' ? <NoTasks /> : <NoMatches {...{ filter, onApply, vocabulary }} />
}

type RowsProps = Omit<ListBodyProps, 'rows' | 'foot'>

/** The list in one piece, or with subtasks below their parents. */
function Rows(props: RowsProps) {
  const { list, count, filter, isGrouped, task } = props
  const groups = useTaskGroups(list, count, filter, isGrouped)
  useShownPlace(task, groups)
  const isOfRoots = isGrouped && filter === ''
  return (
    <ListBody
      {...props}
      rows={groups}
      filter={isOfRoots ? roots_filter : filter}
      note={isOfRoots ? t(' without a parent') : ''}
      foot={
        <>
          {groups.isTooLong && (
            <span className="subtle">
              {t('Subtasks are grouped in filtered lists of up to {grouped_rows_max} tasks.', { grouped_rows_max })}
            </span>
          )}
          <ListFreshness list={list} />
        </>
      }
    />
  )
}

interface Grouping {
  /** Null: no groups. */
  readonly by: string | null
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly groupBy: (value: string) => void
  /** Whether subtasks stand below their parents. */
  readonly nestsSubtasks: boolean
  readonly nestSubtasks: (nests: boolean) => void
}

/** How the list is divided: the property of the URL, or columns if the tasks of a project are in manual order. */
export function useGroupBy(project: Project | null, sort: string, saved: string | null): Grouping {
  const [own] = useUrlParam('group')
  const param = own ?? saved
  const change = useUrlChange()
  const [nestsSubtasks, nestSubtasks] = useGrouping()
  const fields = useFilterFields(project?.workspace)
  const choices = useMemo(() => groupChoices(fields, project !== null), [fields, project])
  const implied = sort === manual && project !== null ? 'column' : null
  const by = choices.find(({ value }) => value === param)?.value ?? (param === no_groups ? null : implied)
  return {
    by,
    choices: [{ value: '', label: t('No grouping') }, ...choices],
    groupBy: (value) => {
      const isImplied = value === (implied ?? '')
      change({ group: isImplied && saved === null ? null : value || no_groups, collapsed: null })
    },
    nestsSubtasks: nestsSubtasks && by === null,
    nestSubtasks,
  }
}

function NoTasks() {
  return (
    <Empty plain icon={ListChecks} title={t('No tasks yet')} actions={<NewTaskButton />}>
      {rich('A task has a status, an assignee and a due date. Press {key} on any page to create one.', {
        key: <kbd>c</kbd>,
      })}
    </Empty>
  )
}
