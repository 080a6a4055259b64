/** Throughput, burn-up and cycle time, from the event log. */
import { Link } from 'wouter'
import { Chart } from '../../../app/chart.tsx'
import { useApp, useMode } from '../../../data/index.ts'
import type { AnswerOf } from '../../../data/shapes.ts'
import { Card, Empty, Stat } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import type { Day } from '../calendar/days.ts'
import {
  boundsOf,
  cycle_ranges,
  daysText,
  dayText,
  inScope,
  listHref,
  percentile,
  type ReportScope,
  spreadOf,
  timedTasks,
} from './report-data.ts'

/** The page's numbers are this old at most. */
const poll_ms = 60_000
const slowest_shown = 10

type Flow = AnswerOf<'GET reports/flow'>

/** The flow of the tasks of a scope on each day of a period. */
export function useFlow({ project, label }: ReportScope, days: number, today: Day) {
  const mode = useMode()
  const query = {
    mode,
    bounds: boundsOf(days, today).join(),
    ...(project !== null && { project }),
    ...(label !== null && { label }),
  }
  return useApp('GET reports/flow', { query }, { every_ms: poll_ms })
}

export function FlowReports({ flow, scope }: PartProps) {
  return (
    <>
      <Card>
        <Throughput flow={flow} scope={scope} />
      </Card>
      <Card>
        <BurnUp flow={flow} scope={scope} />
      </Card>
      <Card>
        <CycleTime flow={flow} />
      </Card>
    </>
  )
}

interface PartProps {
  readonly flow: Flow
  readonly scope: ReportScope
}

function Throughput({ flow: { days }, scope }: PartProps) {
  const within = (field: string) => (index: number) => {
    const day = days[index]
    return day === undefined ? null : listHref(inScope(scope, `${field} >= ${day.from}`, `${field} < ${day.until}`))
  }
  const sum = (name: 'created' | 'completed') => days.reduce((total, day) => total + day[name], 0)
  return (
    <Chart
      title={t('Throughput')}
      summary={t('{sum} tasks completed, {sum2} created', { sum: sum('completed'), sum2: sum('created') })}
      labels={days.map(({ from }) => dayText(from))}
      isNewestFirst
      series={[
        {
          name: t('Completed'),
          tone: 'good',
          values: days.map(({ completed }) => completed),
          hrefOf: within('completed_at'),
        },
        { name: t('Created'), tone: 'info', values: days.map(({ created }) => created), hrefOf: within('created') },
      ]}
    />
  )
}

function BurnUp({ flow: { days }, scope }: PartProps) {
  const last = days.at(-1)
  // Former scopes cannot be filtered: the tasks have changed since. The numbers of today can.
  const ofToday = (filter: string) => (index: number) =>
    index === days.length - 1 ? listHref(inScope(scope, filter)) : null
  const text =
    last === undefined
      ? t('No days to show')
      : t('{done} of {scope} tasks done, {scope2} open', {
          done: last.done,
          scope: last.scope,
          scope2: last.scope - last.done,
        })
  return (
    <Chart
      title={t('Burn-up')}
      summary={text}
      labels={days.map(({ from }) => dayText(from))}
      isNewestFirst
      series={[
        {
          name: t('All tasks'),
          tone: 'muted',
          kind: 'line',
          values: days.map(({ scope: all }) => all),
          hrefOf: ofToday('NOT status = canceled'),
        },
        {
          name: t('Done'),
          tone: 'good',
          kind: 'line',
          values: days.map(({ done }) => done),
          hrefOf: ofToday('status = done'),
        },
      ]}
    />
  )
}

function CycleTime({ flow: { completed, more } }: { readonly flow: Flow }) {
  const timed = timedTasks(completed)
  const days = timed.map((task) => task.days)
  const unstarted = completed.length - timed.length
  return (
    <div className="stack">
      <Chart
        title={t('Cycle time')}
        summary={t('From the start of a task to its completion: {count} tasks', { count: timed.length })}
        labels={cycle_ranges.map(({ name }) => name)}
        series={[{ name: t('Tasks'), tone: 'accent', values: spreadOf(days, cycle_ranges) }]}
      />
      <div className="report-stats">
        <Stat label={t('Half took at most')} value={daysText(percentile(days, 0.5))} />
        <Stat label={t('85% took at most')} value={daysText(percentile(days, 0.85))} />
      </div>
      {(unstarted > 0 || more > 0) && (
        <p className="subtle">
          {unstarted > 0 &&
            t('{unstarted} completed tasks were never in progress, as far as the log reaches. ', { unstarted })}
          {more > 0 && t('{more} earlier completions are counted in the throughput only.', { more })}
        </p>
      )}
      {timed.length === 0 ? (
        <Empty plain title={t('No task was started and completed in this period')} />
      ) : (
        <ol className="report-tasks" aria-label={t('Slowest tasks')}>
          {timed.slice(0, slowest_shown).map((task) => (
            <li key={`${task.task} ${task.completed_at}`}>
              <Link href={`/work/tasks/${task.key}`} className="report-task">
                <span className="task-key numbers">{task.key}</span>
                <span className="cut grow">{task.title}</span>
              </Link>
              <span className="numbers subtle">{daysText(task.days)}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
