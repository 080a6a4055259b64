/** The filters of a list of runs as chips: each opens its choices, and has a button that removes it when it is set. */
import '../../app/filter.css'
import { ChevronDown, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { taskOptions, useTaskSearch } from '../../app/task-field.tsx'
import { useDirectory, useList, useObject } from '../../data/index.ts'
import { Button, ChoiceList, DayField, IconButton, inWords, submitHandler } from '../../design/index.ts'
import { Popover } from '../../design/popover.tsx'
import { t } from '../../language/index.ts'
import { hasFilters, no_filters, type RunFilters, type RunStatus, run_statuses, type TimeOfRun } from './run-filters.ts'
import { type Days, type day_counts, dayName } from './run-times.ts'

export interface RunFilterBarProps {
  readonly workspace: string
  readonly filters: RunFilters
  readonly onChange: (changes: Partial<RunFilters>) => void
  /** Whether the list is that of all flows, which can be narrowed to one. */
  readonly hasFlows: boolean
}

export function RunFilterBar({ workspace, filters, onChange, hasFlows }: RunFilterBarProps) {
  const own = { workspace, filters, onChange }
  return (
    <div className="filters-row" role="group" aria-label={t('Filter')}>
      {hasFlows && <FlowChip {...own} />}
      <TaskChip {...own} />
      <OutcomeChip {...own} />
      <TimeChip {...own} of="created" />
      <TimeChip {...own} of="ended" />
      {hasFilters(hasFlows ? filters : { ...filters, flow: null }) && (
        <Button size="s" kind="quiet" onClick={() => onChange(no_filters)}>
          {t('Clear')}
        </Button>
      )}
    </div>
  )
}

type ChipProps = Omit<RunFilterBarProps, 'hasFlows'>

interface FilterChipProps {
  readonly title: string
  /** What is chosen; null shows the title alone. */
  readonly value: string | null
  readonly onRemove: () => void
  /** The choices; `close` ends choosing. */
  readonly children: (close: () => void) => ReactNode
}

function FilterChip({ title, value, onRemove, children }: FilterChipProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="filter-chip" role="group" aria-label={value === null ? title : `${title}: ${value}`}>
      <Popover
        label={title}
        flush
        open={isOpen}
        onOpenChange={setOpen}
        trigger={
          <button type="button" className="filter-chip-part">
            <span className="filter-chip-name">{title}</span>
            {value === null ? (
              <ChevronDown aria-hidden="true" size={14} />
            ) : (
              <span className="filter-chip-value cut">{value}</span>
            )}
          </button>
        }
      >
        {children(() => setOpen(false))}
      </Popover>
      {value !== null && (
        <IconButton icon={X} label={t('Remove filter: {title}', { title })} size="s" onClick={onRemove} />
      )}
    </div>
  )
}

function FlowChip({ workspace, filters: { flow }, onChange }: ChipProps) {
  const { nameOf, isLoaded } = useDirectory()
  const list = useList('automation_flow', {}, (atrium, cursor) =>
    atrium.automationFlows.list({ limit: 50, ...(cursor === undefined ? {} : { starting_after: cursor }) }),
  )
  const own = (list.rows ?? []).filter((each) => each.workspace === workspace)
  return (
    <FilterChip
      title={t('Flow')}
      value={flow === null ? null : isLoaded ? nameOf(flow) : '…'}
      onRemove={() => onChange({ flow: null })}
    >
      {(close) => (
        <ChoiceList
          label={t('Flow')}
          options={own.map(({ id, name }) => ({ value: id, label: name }))}
          value={flow === null ? [] : [flow]}
          onChange={([next]) => {
            close()
            onChange({ flow: next ?? null })
          }}
        />
      )}
    </FilterChip>
  )
}

function TaskChip({ workspace, filters: { task }, onChange }: ChipProps) {
  const found = useObject('task', task, (atrium, id) => atrium.tasks.retrieve(id))
  const name = found.data?.key ?? (found.error === null ? '…' : t('Deleted task'))
  return (
    <FilterChip title={t('Task')} value={task === null ? null : name} onRemove={() => onChange({ task: null })}>
      {(close) => (
        <TaskChoice
          workspace={workspace}
          task={task}
          onTake={(next) => {
            close()
            onChange({ task: next })
          }}
        />
      )}
    </FilterChip>
  )
}

interface TaskChoiceProps {
  readonly workspace: string
  readonly task: string | null
  readonly onTake: (task: string | null) => void
}

function TaskChoice({ workspace, task, onTake }: TaskChoiceProps) {
  const { rows, onSearch } = useTaskSearch(workspace)
  return (
    <ChoiceList
      label={t('Task')}
      options={taskOptions(rows)}
      value={task === null ? [] : [task]}
      onChange={([next]) => onTake(next ?? null)}
      onSearch={onSearch}
    />
  )
}

/** States that are chosen apply at once, so that the list behind shows what they do. */
function OutcomeChip({ filters: { outcomes }, onChange }: ChipProps) {
  const names = outcomes.map((status) => inWords(status)).join(', ')
  return (
    <FilterChip
      title={t('Outcome')}
      value={outcomes.length === 0 ? null : names}
      onRemove={() => onChange({ outcomes: [] })}
    >
      {() => (
        <ChoiceList<RunStatus>
          label={t('Outcome')}
          multiple
          options={run_statuses.map((status) => ({ value: status, label: inWords(status) }))}
          value={outcomes}
          onChange={(next) => onChange({ outcomes: next })}
        />
      )}
    </FilterChip>
  )
}

const spans = [
  { value: 'today', label: t('Today') },
  { value: '7d', label: t('Last 7 days') },
  { value: '30d', label: t('Last 30 days') },
] as const satisfies readonly { value: keyof typeof day_counts; label: string }[]

interface TimeChipProps extends ChipProps {
  /** The creation or the end: a list has one of them. */
  readonly of: TimeOfRun
}

function TimeChip({ filters, of, onChange }: TimeChipProps) {
  const title = of === 'ended' ? t('Ended') : t('Time')
  const time = filters.timeOf === of ? filters.time : null
  return (
    <FilterChip
      title={title}
      value={timeName(time)}
      onRemove={() => onChange({ time: null, timeOf: no_filters.timeOf })}
    >
      {(close) => (
        <>
          <ChoiceList
            label={title}
            options={spans}
            value={typeof time === 'string' ? [time] : []}
            onChange={([next]) => {
              close()
              onChange({ time: next ?? null, timeOf: of })
            }}
          />
          <DaysForm
            days={time === null || typeof time === 'string' ? { from: '', until: '' } : time}
            onApply={(days) => {
              close()
              onChange({ time: days, timeOf: of })
            }}
          />
        </>
      )}
    </FilterChip>
  )
}

function timeName(time: RunFilters['time']): string | null {
  if (time === null) return null
  if (typeof time === 'string') return spans.find(({ value }) => value === time)?.label ?? null
  const { from, until } = time
  if (until === '') return t('from {day}', { day: dayName(from) })
  if (from === '') return t('until {day}', { day: dayName(until) })
  return from === until ? dayName(from) : t('{from} to {until}', { from: dayName(from), until: dayName(until) })
}

function DaysForm({ days, onApply }: { readonly days: Days; readonly onApply: (days: Days) => void }) {
  const [{ from, until }, setDays] = useState(days)
  const isReady = (from !== '' || until !== '') && (from === '' || until === '' || from <= until)
  return (
    <form className="run-days" onSubmit={submitHandler(() => isReady && onApply({ from, until }))}>
      <DayField aria-label={t('From')} value={from} onChange={(next) => setDays((now) => ({ ...now, from: next }))} />
      <DayField
        aria-label={t('Until')}
        value={until}
        onChange={(next) => setDays((now) => ({ ...now, until: next }))}
      />
      <Button size="s" type="submit" disabled={!isReady}>
        {t('Apply')}
      </Button>
    </form>
  )
}
