/** Tracked time of a project against its budget: the sum of a number field of its tasks, in hours. */
import type { Task, TimeEntry } from '@atrium/sdk'

import { Chart } from '../../../app/chart.tsx'
import { useAllFields } from '../../../app/tasks/field-reads.ts'
import { useAll, useObject, useUrlParam } from '../../../data/index.ts'
import { Card, Empty, Select, Skeleton } from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import { listHref } from './report-data.ts'

/** Tasks and time entries that are read; the report says when there are more. */
const read_max = 2000
/** Tasks that are shown, those with the most time. */
const tasks_shown = 20
const hour_ms = 3_600_000

export function TimeReport({ project }: { readonly project: string }) {
  const { data } = useObject<{ readonly workspace: string }>('project', project, (atrium, id) =>
    atrium.projects.retrieve(id),
  )
  const workspace = data?.workspace
  const tasks = useAll<Task>(
    'task',
    { project, report: true },
    (atrium) => atrium.tasks.list({ project, limit: 100 }),
    {
      max: read_max,
    },
  )
  const entries = useAll<TimeEntry>(
    'time_entry',
    { workspace, report: true },
    (atrium) => atrium.timeEntries.list({ workspace, limit: 100 }),
    { max: read_max, enabled: workspace !== undefined },
  )
  const fields = useAllFields().data?.filter((field) => field.workspace === workspace && field.type === 'number') ?? []
  const [chosen, setChosen] = useUrlParam('budget')
  const budget = fields.find(({ key }) => key === chosen)?.key ?? fields[0]?.key ?? null
  if (tasks.data === undefined || entries.data === undefined) return <Skeleton height="20rem" />
  const rows = timeOf(tasks.data, entries.data, project, budget)
  const isCut = tasks.data.length >= read_max || entries.data.length >= read_max
  return (
    <Card>
      {fields.length > 0 && (
        <Select
          aria-label={t('Budget')}
          value={budget ?? ''}
          choices={fields.map(({ key, name }) => ({ value: key, label: t('Budget: {name}, in hours', { name }) }))}
          onChange={setChosen}
        />
      )}
      {rows.length === 0 ? (
        <Empty plain title={t('No time is tracked in this project')}>
          {t('A number field of its tasks, such as Estimate, is shown as the budget in hours.')}
        </Empty>
      ) : (
        <TimeChart rows={rows} hasBudget={budget !== null} isCut={isCut} />
      )}
    </Card>
  )
}

interface TimeRow {
  readonly task: Task | null
  readonly tracked: number
  readonly budget: number | null
}

function timeOf(
  tasks: readonly Task[],
  entries: readonly TimeEntry[],
  project: string,
  budget: string | null,
): readonly TimeRow[] {
  const tracked = new Map<string | null, number>()
  const known = new Set(tasks.map(({ id }) => id))
  for (const { task, project: own, duration_ms } of entries) {
    if (own !== project && (task === null || !known.has(task))) continue
    const key = task !== null && known.has(task) ? task : null
    tracked.set(key, (tracked.get(key) ?? 0) + (duration_ms ?? 0) / hour_ms)
  }
  const budgetOf = ({ custom_fields }: Task) => {
    const value = budget === null ? null : custom_fields[budget]
    return typeof value === 'number' ? value : null
  }
  const rows = tasks.map((task) => ({ task, tracked: tracked.get(task.id) ?? 0, budget: budgetOf(task) }))
  const without = tracked.get(null)
  return [...rows, ...(without === undefined ? [] : [{ task: null, tracked: without, budget: null }])]
    .filter((row) => row.tracked > 0 || row.budget !== null)
    .toSorted((a, b) => b.tracked - a.tracked)
}

interface TimeChartProps {
  readonly rows: readonly TimeRow[]
  readonly hasBudget: boolean
  readonly isCut: boolean
}

function TimeChart({ rows, hasBudget, isCut }: TimeChartProps) {
  const shown = rows.slice(0, tasks_shown)
  const sum = (name: 'tracked' | 'budget') => rows.reduce((total, row) => total + (row[name] ?? 0), 0)
  const [tracked, budget] = [Math.round(sum('tracked')), Math.round(sum('budget'))]
  const text = hasBudget
    ? t('{tracked} hours tracked of {budget} planned', { tracked, budget })
    : t('{tracked} hours tracked', { tracked })
  const hrefOf = (index: number) => {
    const task = shown[index]?.task
    return task ? `/work/tasks/${task.key}` : listHref(`project = none`)
  }
  return (
    <Chart
      title={t('Time against budget')}
      summary={
        isCut
          ? t('{text}, among the newest {read_max} tasks and entries', {
              text,
              read_max: read_max.toLocaleString(textLanguage()),
            })
          : text
      }
      labels={shown.map(({ task }) => (task === null ? t('Without a task') : task.key))}
      unit="hours"
      series={[
        { name: t('Tracked'), tone: 'accent', values: shown.map((row) => row.tracked), hrefOf },
        ...(hasBudget
          ? [{ name: t('Budget'), tone: 'muted' as const, values: shown.map((row) => row.budget), hrefOf }]
          : []),
      ]}
    />
  )
}
