import { refuse } from '../../api/declare/errors.ts'
import { required, textParameter } from '../../api/declare/parameters.ts'
import { limits } from '../../api/limits.ts'
import type { EventRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { millis } from '../../lib/clock.ts'
import { Slices } from '../../lib/turns.ts'
import { readEvents } from '../../resources/events/queries.ts'
import { countGroups } from '../../resources/tasks/list/groups.ts'
import { readCriteria } from '../../resources/tasks/list/parameters.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { console_limits } from '../limits.ts'
import { callerOfSession } from '../sessions/session.ts'
import { type FlowCounts, FlowReport, type FlowScope, isStart, type TaskEvent, type TaskState } from './flow-report.ts'

const task_events = ['created', 'updated', 'completed', 'reopened', 'moved', 'deleted'].map(
  (verb) => `workflow.task.${verb}`,
)

/**
 * Throughput, scope, completed tasks and their starts, day by day, from the event log. `reaches` says how far back all days are
 * complete: the log is kept for a time, and a report reads at most `console_limits.report_events_max` events.
 */
export const reportFlow = endpoint('GET reports/flow', {
  needs: 'session',
  query: {
    mode: modeParameter,
    project: textParameter(100, 'only tasks that were in this project'),
    label: textParameter(limits.label_chars_max, 'only tasks that had this label'),
    bounds: required(
      textParameter(console_limits.report_bounds_chars_max, 'the starts of the days and the end of the last one'),
    ),
  },
  async handle({ services, session, query, now }) {
    const caller = callerOfSession(session, query.mode ?? 'live')
    const reader = services.store.reader(caller.storeScope)
    const bounds = readBounds(query.bounds)
    const scope = { project: query.project, label: query.label }
    const counts = await countNow({ reader, caller, now }, scope)
    const report = new FlowReport(scope, bounds, counts, console_limits.report_tasks_max)
    const kept = now - limits.event_retention_ms
    const reach = await takeEventsBack(reader, caller.realm, report, Math.max(kept, bounds[0] ?? 0))
    await findStarts(reader, caller.realm, report, kept)
    const { days, completed, more } = report.result(reach)
    return { days, completed, more, reaches: Math.floor(reach / 1000) }
  },
})

/** Unix seconds in ascending order. */
function readBounds(text: string): number[] {
  const texts = text.split(',')
  const bounds = texts.map(Number)
  const isAscending = bounds.every((bound, i) => i === 0 || bound > (bounds[i - 1] as number))
  const { report_days_max } = console_limits
  const fits =
    texts.every((each) => /^\d{1,12}$/.test(each)) && bounds.length >= 2 && bounds.length <= report_days_max + 1
  if (fits && isAscending) return bounds.map(millis)
  const sent = text.slice(0, 80)
  const message = `bounds cannot be "${sent}". Use 2 to ${report_days_max + 1} ascending times in Unix seconds, separated by commas.`
  throw refuse('invalid_query_parameter', { param: 'bounds', message })
}

/** The counts of today, archived tasks included: the event log has no event of a task when its project is archived. */
async function countNow(
  from: Omit<Parameters<typeof readCriteria>[0], 'workspace'>,
  { project, label }: FlowScope,
): Promise<FlowCounts> {
  const filter = label === undefined ? {} : { filter: `labels:${JSON.stringify(label)}` }
  let [scope, done] = [0, 0]
  for (const is_archived of [false, true]) {
    const query = { is_archived, ...filter, ...(project !== undefined && { project: [project] }) }
    const { criteria } = await readCriteria(from, query)
    const { groups } = await countGroups(
      from.reader,
      from.caller.realm,
      criteria,
      { by: 'status' },
      task_events.length + 1,
    )
    for (const { value, count } of groups) {
      if (value !== 'canceled') scope += count
      if (value === 'done') done += count
    }
  }
  return { scope, done }
}

/** Takes the events back until `from`, in milliseconds. Returns how far it came. */
async function takeEventsBack(reader: Reader, realm: number, report: FlowReport, from: number): Promise<number> {
  const { report_page_events: page, report_events_max, report_slice_ms, report_ms } = console_limits
  const slices = new Slices(page, page, report_slice_ms, report_ms)
  let before: number | undefined
  for (let read = 0; ; ) {
    const rows = await readEvents(reader, realm, { types: task_events, from, before }, page)
    for (const row of rows) report.takeBack(eventOf(row))
    const last = rows.at(-1)
    if (last === undefined || rows.length < page) return from
    read += rows.length
    before = last.sequence
    // The day of the last event is not complete.
    if (read >= report_events_max || !(await slices.next())) return last.created + 1
  }
}

/** The starts of tasks that were started before the report begins. */
async function findStarts(reader: Reader, realm: number, report: FlowReport, from: number): Promise<void> {
  for (const object of report.withoutStart.slice(0, console_limits.report_starts_max)) {
    const rows = await readEvents(
      reader,
      realm,
      { types: task_events, object, from },
      console_limits.report_start_events_max,
    )
    const events = rows.map(eventOf)
    const start = events.find(({ type, after, previous }) =>
      isStart(after, type.endsWith('.created') ? null : { ...after, ...previous }),
    )
    if (start !== undefined) report.foundStart(object, start.created)
  }
}

function eventOf({ type, created, data }: EventRow): TaskEvent {
  // Events of tasks hold the task as GET shows it.
  const { object, previous_attributes } = JSON.parse(data) as {
    readonly object: TaskState
    readonly previous_attributes: Partial<TaskState> | null
  }
  return { type, created, after: object, previous: previous_attributes }
}
