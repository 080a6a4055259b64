/**
 * What a flow's schedules and due triggers would have started in the past, judged by the tasks' present state: the match count
 * of previews and the effects of a flow both use it (contract/16#effects).
 */
import { pastFirings } from '../../../automations/cron.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { Program } from '../../../automations/program.ts'
import type { NodeOf } from '../../../automations/schema.ts'
import { query } from '../../../db/query.ts'
import type { TaskRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { allowsDue } from './due.ts'
import { Surroundings, type Window } from './matches.ts'
import { type QueriedFlow, tasksOfSchedule } from './schedule-tasks.ts'

/** A firing of a schedule, or a task that became due. */
interface Moment {
  readonly trigger: string
  /** Milliseconds. */
  readonly at: number
  /** One run for each; null is a run without a task. */
  readonly tasks: readonly (string | null)[]
}

export interface Moments {
  /** Newest first. */
  readonly moments: readonly Moment[]
  /** Whether there were others that were not considered. */
  readonly more: boolean
}

interface ClockFlow extends QueriedFlow {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly mode: string
}

/**
 * The moments since `window.since` that would have started runs. At most `automation_matches_events_max` firings and due tasks are
 * considered, of which each trigger has the same share. Those of tasks only if the viewer may read tasks.
 */
export async function momentsOf(reader: Reader, flow: ClockFlow, program: Program, window: Window): Promise<Moments> {
  const maySeeTasks = window.viewer.scopes?.has('tasks:read') ?? true
  const triggers = [...program.triggers.values()].filter(
    (each) => each.type === 'trigger.schedule' || each.type === 'trigger.due',
  )
  const share = Math.ceil(automation_limits.automation_matches_events_max / Math.max(1, triggers.length))
  const found: Moment[] = []
  let more = false
  for (const trigger of triggers) {
    const isOfTasks = trigger.type === 'trigger.due' || trigger.config.task_query !== undefined
    if (isOfTasks && !maySeeTasks) continue
    const ofTrigger =
      trigger.type === 'trigger.due'
        ? await dueOf(reader, flow, program, trigger, window, share)
        : await firingsOf(reader, flow, trigger, window, share)
    found.push(...ofTrigger.moments)
    more ||= ofTrigger.more
  }
  return { moments: found.sort((a, b) => b.at - a.at), more }
}

async function firingsOf(
  reader: Reader,
  flow: ClockFlow,
  { id, config }: NodeOf<'trigger.schedule'>,
  { since, now }: Window,
  count: number,
): Promise<Moments> {
  const tasks = config.task_query === undefined ? [null] : await tasksOfSchedule(reader, flow, config, now)
  if (tasks.length === 0) return { moments: [], more: false }
  const { times, more } = await pastFirings(config, { since, now, count })
  return { moments: times.map((at) => ({ trigger: id, at, tasks })), more }
}

/** Uses the index on (realm, due_at, id), so it is bounded whatever the other tasks are. */
const dueBetween = query<
  TaskRow,
  { realm: number; from: number; to: number; before: number; task: string; count: number }
>((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('due_at', '>=', p('from'))
    .where('due_at', '<=', p('to'))
    .where((or) => or.or([or('due_at', '<', p('before')), or('id', '<', p('task'))]))
    .orderBy('due_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p('count')),
)

async function dueOf(
  reader: Reader,
  flow: ClockFlow,
  program: Program,
  trigger: NodeOf<'trigger.due'>,
  { since, now }: Window,
  share: number,
): Promise<Moments> {
  const offset_ms = trigger.config.offset_seconds * 1000
  const around = new Surroundings(reader, flow.realm)
  const [from, count] = [since - offset_ms, Math.min(share, automation_limits.automation_due_batch_max)]
  const moments: Moment[] = []
  let last = { due_at: now - offset_ms, id: '~' }
  for (let read = 0; read < share; read += count) {
    const page = { realm: flow.realm, from, to: last.due_at, before: last.due_at, task: last.id, count }
    const tasks = await reader.all(dueBetween, page)
    for (const task of tasks) {
      const { allows } = await allowsDue(around, flow, program, trigger, task, now)
      if (allows) moments.push({ trigger: trigger.id, at: (task.due_at ?? 0) + offset_ms, tasks: [task.id] })
    }
    const end = tasks.at(-1)
    if (end === undefined || tasks.length < count) return { moments, more: false }
    last = { due_at: end.due_at ?? 0, id: end.id }
    // Other requests are served in between.
    await new Promise(setImmediate)
  }
  return { moments, more: true }
}
