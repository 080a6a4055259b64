/** A board of any tasks: a lane for each value of a property. A card that is dropped in a lane takes its value. */
import './board-by.css'
import type { Project, Task } from '@atrium/sdk'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ErrorState } from '../../../app/error-state.tsx'
import { FilterBar } from '../../../app/filter/bar.tsx'
import { type FilterFault, filterFault } from '../../../app/filter/fault.ts'
import type { Vocabulary } from '../../../app/filter/values.ts'
import { useVocabulary } from '../../../app/filter/vocabulary.ts'
import { LayoutLinks } from '../../../app/layout-links.tsx'
import { useColumns, useProjects } from '../../../app/tasks/reads.ts'
import { useAll, useDirectory, useUrlPanel } from '../../../data/index.ts'
import { Button, Empty, Page, Select, Skeleton, useNow } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { useGroupCounts, useGroupTasks } from '../group-reads.ts'
import { useTaskQuery } from '../layout-query.ts'
import { groupsOf, type ListGroup, onlyProject } from '../list-groups.ts'
import { useNearLanes } from '../near-lanes.ts'
import { openNewTask } from '../new-task.ts'
import { useTasksHead } from '../project-head.tsx'
import { SavedFilters } from '../saved-filters.tsx'
import { useBoardPlace, useShownOrder } from '../task-order.ts'
import { panel_params, TaskSheet } from '../task-sheet.tsx'
import { useGroupBy } from '../tasks-page.tsx'
import { LaneView } from './lane.tsx'
import { useLaneMoves } from './lane-moves.ts'
import { withEmptyLanes } from './lanes.ts'

/** Matching tasks that are read to learn whether the server takes the filter. */
const sample_tasks = 100
const default_by = 'status'
/** Lanes that are read and shown. */
const lanes_max = 40
const no_columns: readonly never[] = []

export function BoardPage() {
  const { value: open, open: onOpen, close } = useUrlPanel('task', panel_params)
  const place = useBoardPlace(open)
  const query = useTaskQuery()
  const { filter, sort } = query
  const { head, tools, barOf } = useTasksHead(t('Board'), filter, query.apply)
  const projects = useProjects().data
  const project = useMemo(() => {
    const id = onlyProject(filter, projects ?? [])
    return projects?.find((each) => each.id === id) ?? null
  }, [filter, projects])
  const grouping = useGroupBy(project, sort, query.group)
  const by = grouping.by ?? default_by
  const sample = useAll<Task>(
    'task',
    { filter, sample: true },
    (atrium) => atrium.tasks.list({ filter: filter || undefined, limit: sample_tasks }),
    {
      max: sample_tasks,
      enabled: query.isKnown,
    },
  )
  const fault = filterFault(sample.error)
  const vocabulary = useVocabulary(sample.data)
  return (
    <Page
      {...head}
      width="full"
      fixed
      actions={
        <>
          <LayoutLinks current="board" filter={filter} />
          <SavedFilters
            current={query.saved}
            {...{ filter, sort }}
            layout="board"
            group={by}
            columns={no_columns}
            onChoose={query.choose}
          />
          {tools}
          <Button
            kind="primary"
            icon={Plus}
            onClick={() => openNewTask(project === null ? {} : { project: project.id })}
          >
            {t('New task')}
          </Button>
        </>
      }
      tabs={
        <div className="tasks-tools">
          <FilterBar {...barOf(fault)} vocabulary={vocabulary} />
          <Select
            aria-label={t('Columns by')}
            value={by}
            choices={grouping.choices.filter(({ value }) => value !== '')}
            onChange={grouping.groupBy}
          />
        </div>
      }
    >
      {query.isKnown && (
        <Content
          {...{ by, filter, sort, project, vocabulary, fault, onOpen }}
          error={fault === null ? sample.error : null}
        />
      )}
      {open !== null && <TaskSheet id={open} place={place} onClose={close} onOpen={onOpen} />}
    </Page>
  )
}

interface ContentProps {
  readonly by: string
  readonly filter: string
  readonly sort: string
  readonly project: Project | null
  readonly vocabulary: Vocabulary
  readonly fault: FilterFault | null
  readonly error: Error | null
  readonly onOpen: (key: string) => void
}

function Content({ fault, error, ...props }: ContentProps) {
  if (error !== null) return <ErrorState error={error} />
  if (fault === null) return <Lanes key={`${props.by} ${props.filter} ${props.sort}`} {...props} />
  return (
    <Empty plain title={t('The filter is not valid')}>
      {t('Fix the highlighted part, then press Enter.')}
    </Empty>
  )
}

type LanesProps = Omit<ContentProps, 'fault' | 'error'>

function Lanes(props: LanesProps) {
  const { by, filter, project, vocabulary } = props
  const now = useNow()
  const { counts, error, retry } = useGroupCounts(by, filter, now, 0)
  const groups = useLanes(by, counts, project, vocabulary)
  if (error !== null && counts === undefined) return <ErrorState error={error} onRetry={retry} />
  if (counts === undefined) return <Skeleton width="100%" />
  return <LaneBoard {...props} groups={groups} now={now} />
}

interface LaneBoardProps extends LanesProps {
  readonly groups: readonly ListGroup[]
  readonly now: number
}

function LaneBoard({ by, filter, sort, groups, now, onOpen }: LaneBoardProps) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const ids = groups.map(({ id }) => id)
  const { near, seen } = useNearLanes(frame, ids, 'data-lane')
  const reads = useGroupTasks(
    groups.filter(({ id }) => seen.has(id)),
    filter,
    sort,
  )
  const tasksOf = (group: ListGroup) => reads.read.get(group.id)?.tasks.filter(group.has)
  const lanes = groups.map((group) => ({ group, tasks: tasksOf(group) }))
  const moves = useLaneMoves({ frame, by, lanes, now })
  useShownOrder(lanes.flatMap(({ tasks }) => tasks ?? []))
  return (
    <>
      <section
        className="by-board"
        aria-label={t('Board')}
        ref={setFrame}
        onKeyDown={moves.onKeyDown}
        onPointerDown={moves.release}
      >
        {lanes.map(({ group, tasks }) => (
          <LaneView
            key={group.id}
            group={group}
            tasks={moves.shown(group, tasks)}
            isTarget={moves.held?.lane === group.id}
            isNear={near.has(group.id)}
            pinned={moves.pinned}
            onMore={reads.read.get(group.id)?.isCut ? reads.moreOf(group.id) : null}
            onOpen={onOpen}
          />
        ))}
      </section>
      <div className="unseen" role="status">
        {moves.announcement}
      </div>
    </>
  )
}

function useLanes(
  by: string,
  counts: ReturnType<typeof useGroupCounts>['counts'],
  project: Project | null,
  { projects, fields, now }: Vocabulary,
): readonly ListGroup[] {
  const { nameOf } = useDirectory()
  const { columns = no_columns } = useColumns(project?.id ?? null)
  return useMemo(() => {
    if (counts === undefined) return []
    const all = { groups: withEmptyLanes(by, counts.groups, fields), others: counts.others }
    // A lane that no filter selects has no tasks to show.
    return groupsOf(by, all, { nameOf, projects, columns, fields, now })
      .filter(({ filter }) => filter !== null)
      .slice(0, lanes_max)
  }, [by, counts, nameOf, projects, columns, fields, now])
}
