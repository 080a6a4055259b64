/** The rows of a list of tasks with their foot: the number of tasks, what could not be read, and changes of the selected ones. */
import { RefreshCw } from 'lucide-react'
import { type ComponentType, type ReactNode, useCallback, useMemo } from 'react'
import { useDirectory } from '../../data/index.ts'
import { Button, Skeleton } from '../../design/index.ts'
import { t, textLanguage } from '../../language/index.ts'
import { BulkBar } from './bulk-bar.tsx'
import type { ShownField } from './field-columns.tsx'
import type { Named } from './list-groups.ts'
import { TaskList, type TaskListProps } from './task-list.tsx'
import type { TaskRows } from './task-rows.ts'
import { type Selection, selected_tasks_max, useSelectAll, useSelection } from './task-selection.ts'
import type { ShownRow } from './task-tree.ts'

export interface ListBodyProps {
  readonly list: TaskRows
  /** The number of tasks. */
  readonly count: number
  /** Selects the tasks of the list. */
  readonly filter: string
  readonly sort: string
  readonly rows: {
    readonly count: number
    readonly at: (index: number) => ShownRow | undefined
    readonly onRange: (first: number, end: number) => void
    readonly toggle: (index: number) => void
  }
  readonly isGrouped: boolean
  /** The task that is open. */
  readonly task: string | null
  readonly onOpen: (key: string) => void
  readonly projects: readonly Named[] | undefined
  readonly fields: readonly ShownField[]
  readonly isMovable?: boolean
  readonly kept?: number | null
  /** Draws the rows in another layout than the list. */
  readonly view?: ComponentType<TaskListProps>
  /** Follows the number of tasks. */
  readonly note?: string
  /** Stands right of the number of tasks. */
  readonly foot: ReactNode
}

export function ListBody(props: ListBodyProps) {
  const { list, count, filter, sort, rows, task, projects, foot, note = '', view: View = TaskList } = props
  const { nameOf } = useDirectory()
  const selection = useSelection()
  const names = useMemo(() => new Map(projects?.map(({ id, name }) => [id, name])), [projects])
  const projectName = useCallback((id: string) => names.get(id) ?? '', [names])
  return (
    <>
      <View
        count={rows.count}
        rowAt={rows.at}
        onRange={rows.onRange}
        isGrouped={props.isGrouped}
        selected={selection.ids}
        onSelect={selection.toggle}
        onSelectMany={selection.add}
        onToggle={rows.toggle}
        onOpen={props.onOpen}
        current={task}
        nameOf={nameOf}
        projectName={projectName}
        fields={props.fields}
        isMovable={props.isMovable ?? false}
        kept={props.kept ?? null}
      />
      <div className="tasks-foot">
        <span className="subtle numbers" role="status">
          {list.isCounted
            ? t('{count, plural, one {# task} other {# tasks}}', { count })
            : t('{count} tasks', { count: count.toLocaleString(textLanguage()) })}
          {note}
        </span>
        {foot}
      </div>
      {selection.tasks.length > 0 && (
        <BulkBar
          tasks={selection.tasks}
          onClear={selection.clear}
          more={<SelectAll {...{ count, selection, sort, filter }} />}
        />
      )}
    </>
  )
}

/** What the foot says about a flat list that could not be read, or has changed. */
export function ListFreshness({ list }: { readonly list: TaskRows }) {
  return (
    <>
      {list.hasFailures && (
        <Button size="s" icon={RefreshCw} onClick={list.refresh}>
          {t('Some tasks could not be loaded. Retry')}
        </Button>
      )}
      {list.isStale && (
        <Button size="s" icon={RefreshCw} onClick={list.refresh}>
          {t('Tasks have changed. Refresh')}
        </Button>
      )}
    </>
  )
}

interface SelectAllProps {
  readonly count: number
  readonly filter: string
  readonly sort: string
  readonly selection: Selection
}

/** Offers to select the whole list, also what is not read. */
function SelectAll({ count, filter, sort, selection }: SelectAllProps) {
  const all = useSelectAll({ filter, sort }, selection)
  const reached = Math.min(count, selected_tasks_max)
  if (selection.tasks.length >= reached) return null
  return (
    <Button size="s" kind="quiet" busy={all.isReading} onClick={all.run}>
      {count > selected_tasks_max
        ? t('Select the first {count}', { count: reached.toLocaleString(textLanguage()) })
        : t('Select all {count}', { count: reached.toLocaleString(textLanguage()) })}
    </Button>
  )
}

/** What is shown until the list is read. */
export function RowSkeletons() {
  return Array.from({ length: 12 }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div className="task-row" key={index} style={{ position: 'relative' }}>
      <Skeleton width={`${40 + ((index * 7) % 30)}%`} />
    </div>
  ))
}
