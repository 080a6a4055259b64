/** Open tasks by age, and by person. */
import { useQueries } from '@tanstack/react-query'
import { Chart } from '../../../app/chart.tsx'
import { app, useApp, useDirectory, useMode } from '../../../data/index.ts'
import { Card } from '../../../design/index.ts'
import { t, textLanguage } from '../../../language/index.ts'
import type { Day } from '../calendar/days.ts'
import { age_ranges, ageFilter, inScope, listHref, open_tasks, type ReportScope } from './report-data.ts'

/** Counts are this old at most. */
const poll_ms = 60_000
/** People that are shown, those with the most open tasks. */
const people_max = 20

/** How many open tasks are in each range of ages. */
export function useAges(scope: ReportScope, today: Day) {
  const mode = useMode()
  const filters = age_ranges.map((range) => inScope(scope, ageFilter(range, today)))
  const counts = useQueries({
    queries: filters.map((filter) => ({
      queryKey: ['app', 'GET tasks/count', mode, filter],
      queryFn: () => app('GET tasks/count', { query: { mode, filter } }),
      refetchInterval: poll_ms,
    })),
  })
  const values = counts.flatMap(({ data }) => (data === undefined ? [] : [data.count]))
  const error = counts.find((count) => count.error !== null && count.data === undefined)?.error ?? null
  return { error, data: values.length < filters.length ? undefined : { filters, values } }
}

export function AgeReport({
  ages: { filters, values },
}: {
  readonly ages: NonNullable<ReturnType<typeof useAges>['data']>
}) {
  const total = values.reduce((sum, value) => sum + value, 0)
  return (
    <Card>
      <Chart
        title={t('Open tasks by age')}
        summary={t('{total} open tasks, by the time since they were created', {
          total: total.toLocaleString(textLanguage()),
        })}
        labels={age_ranges.map(({ name }) => name)}
        series={[
          {
            name: t('Open tasks'),
            tone: 'accent',
            values,
            hrefOf: (index) => (filters[index] === undefined ? null : listHref(filters[index], 'created')),
          },
        ]}
      />
    </Card>
  )
}

/** How many open tasks each person has, and how many of them are overdue. */
export function useWorkload(scope: ReportScope) {
  const mode = useMode()
  const query = { mode, by: 'assignee' }
  const open = inScope(scope, open_tasks)
  const late = inScope(scope, open_tasks, 'due_at < now')
  const all = useApp('GET tasks/groups', { query: { ...query, filter: open } }, { every_ms: poll_ms })
  const overdue = useApp('GET tasks/groups', { query: { ...query, filter: late } }, { every_ms: poll_ms })
  if (all.data === undefined || overdue.data === undefined)
    return { error: all.error ?? overdue.error, data: undefined }
  const lateOf = new Map(overdue.data.groups.map(({ value, count }) => [value, count]))
  const people = all.data.groups
    .slice(0, people_max)
    .map(({ value, count }) => ({ person: value, open: count, late: Math.min(count, lateOf.get(value) ?? 0) }))
  return { error: null, data: { open, late, people } }
}

export function WorkloadReport({ load }: { readonly load: NonNullable<ReturnType<typeof useWorkload>['data']> }) {
  const { nameOf } = useDirectory()
  const { people, open, late } = load
  const hrefOf = (filter: string) => (index: number) => {
    const person = people[index]?.person
    return person === undefined ? null : listHref(`assignee = ${person ?? 'none'} AND ${filter}`, 'due_at')
  }
  return (
    <Card>
      <Chart
        title={t('Workload')}
        summary={t('Open tasks by person: {count} people', { count: people.length })}
        labels={people.map(({ person }) => (person === null ? t('Unassigned') : nameOf(String(person))))}
        isStacked
        isSideways
        series={[
          { name: t('Overdue'), tone: 'bad', values: people.map((each) => each.late), hrefOf: hrefOf(late) },
          {
            name: t('Other open'),
            tone: 'accent',
            values: people.map((each) => each.open - each.late),
            hrefOf: hrefOf(open),
          },
        ]}
      />
    </Card>
  )
}
