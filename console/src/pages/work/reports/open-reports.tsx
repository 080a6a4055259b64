/** Open tasks by age, and by person. */
import { useQueries } from '@tanstack/react-query'
import { Chart } from '../../../app/chart.tsx'
import { ErrorState } from '../../../app/error-state.tsx'
import { app, useApp, useDirectory, useMode } from '../../../data/index.ts'
import { Card, Skeleton } from '../../../design/index.ts'
import type { Day } from '../calendar/days.ts'
import { age_ranges, ageFilter, inScope, listHref, open_tasks, type ReportScope } from './report-data.ts'

/** Counts are this old at most. */
const poll_ms = 60_000
/** People that are shown, those with the most open tasks. */
const people_max = 20

interface AgeReportProps {
  readonly scope: ReportScope
  readonly today: Day
}

export function AgeReport({ scope, today }: AgeReportProps) {
  const mode = useMode()
  const filters = age_ranges.map((range) => inScope(scope, ageFilter(range, today)))
  const counts = useQueries({
    queries: filters.map((filter) => ({
      queryKey: ['app', 'GET tasks/count', mode, filter],
      queryFn: () => app('GET tasks/count', { query: { mode, filter } }),
      refetchInterval: poll_ms,
    })),
  })
  const error = counts.find((count) => count.error !== null && count.data === undefined)?.error
  const values = counts.map(({ data }) => data?.count ?? null)
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
  if (error) return <ErrorState error={error} />
  if (values.includes(null)) return <Skeleton height="20rem" />
  return (
    <Card>
      <Chart
        title="Open tasks by age"
        summary={`${total.toLocaleString('en')} open tasks, by the time since they were created`}
        labels={age_ranges.map(({ name }) => name)}
        series={[
          {
            name: 'Open tasks',
            tone: 'accent',
            values,
            hrefOf: (index) => (filters[index] === undefined ? null : listHref(filters[index], 'created')),
          },
        ]}
      />
    </Card>
  )
}

export function WorkloadReport({ scope }: { readonly scope: ReportScope }) {
  const mode = useMode()
  const { nameOf } = useDirectory()
  const query = { mode, by: 'assignee' }
  const open = inScope(scope, open_tasks)
  const late = inScope(scope, open_tasks, 'due_at < now')
  const all = useApp('GET tasks/groups', { query: { ...query, filter: open } }, { every_ms: poll_ms })
  const overdue = useApp('GET tasks/groups', { query: { ...query, filter: late } }, { every_ms: poll_ms })
  const error = all.error ?? overdue.error
  if (error && (all.data === undefined || overdue.data === undefined)) return <ErrorState error={error} />
  if (all.data === undefined || overdue.data === undefined) return <Skeleton height="20rem" />
  const people = all.data.groups.slice(0, people_max)
  const lateOf = new Map(overdue.data.groups.map(({ value, count }) => [value, count]))
  const hrefOf = (filter: string) => (index: number) => {
    const value = people[index]?.value
    return value === undefined ? null : listHref(`assignee = ${value ?? 'none'} AND ${filter}`, 'due_at')
  }
  const lates = people.map(({ value }) => lateOf.get(value) ?? 0)
  return (
    <Card>
      <Chart
        title="Workload"
        summary={`Open tasks by person: ${people.length} people`}
        labels={people.map(({ value }) => (value === null ? 'Unassigned' : nameOf(String(value))))}
        isStacked
        isSideways
        series={[
          { name: 'Overdue', tone: 'bad', values: lates, hrefOf: hrefOf(late) },
          {
            name: 'Other open tasks',
            tone: 'accent',
            values: people.map(({ count }, i) => Math.max(0, count - (lates[i] ?? 0))),
            hrefOf: hrefOf(open),
          },
        ]}
      />
    </Card>
  )
}
