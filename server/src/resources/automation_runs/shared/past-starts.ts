/**
 * The runs that a flow would have started in the past, by events, schedules and due dates, judged by the tasks' present state: the
 * match count of previews and the effects of a flow (contract/16#effects).
 */

import { limits } from '../../../api/limits.ts'
import { type Event, showEvent } from '../../../api/stream/shape.ts'
import { formValues } from '../../../automations/forms.ts'
import { automation_limits } from '../../../automations/limits.ts'
import type { FlowMail } from '../../../automations/mails.ts'
import { callTriggerOf, formOf, mailTriggerOf, type Program, webhookOf } from '../../../automations/program.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import { triggerVariables } from '../../../automations/variables.ts'
import { isOneOf } from '../../../db/dialect.ts'
import { query } from '../../../db/query.ts'
import type { EventRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import type { StartedFlow } from '../start-run.ts'
import { latestCalls } from './calls.ts'
import { momentsOf } from './clock-starts.ts'
import { submissions } from './forms.ts'
import { type HookRequest, hookRequests } from './hooks.ts'
import { flowMails } from './mails.ts'
import { factsOf, matchesOf, Surroundings, type WatchingFlow, type Window } from './matches.ts'

const ofTypes = query<EventRow, { realm: number; since: number; before: number; types: string; count: number }>(
  (db, p, dialect) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('created', '>=', p('since'))
      .where('sequence', '<', p('before'))
      .where(isOneOf(dialect, 'type', p('types')))
      .orderBy('sequence', 'desc')
      .limit(p('count')),
)

type CountedFlow = WatchingFlow & Pick<StartedFlow, 'realm'>

/**
 * Visits the retained events since `since` of the types that a flow watches, newest first, as the viewer may read them
 * (contract/10#hidden-objects), until `visit` returns false: at most `automation_matches_events_max`. Returns whether there
 * are others.
 */
async function visitWatched(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  { viewer, since }: Window,
  visit: (event: Event) => Promise<boolean>,
): Promise<boolean> {
  const triggers = [...program.triggers.values()].filter((each) => each.type === 'trigger.event')
  const types = [...new Set(triggers.flatMap((each) => each.config.event_types))]
  if (types.length === 0) return false
  let considered = 0
  for (let before = Number.MAX_SAFE_INTEGER; considered < automation_limits.automation_matches_events_max; ) {
    const batch = { realm: flow.realm, since, before, types: JSON.stringify(types), count: limits.event_batch_max }
    const rows = await reader.all(ofTypes, batch)
    for (const row of rows) if (!(await visit(showEvent(row, viewer)))) return true
    considered += rows.length
    // Yields between batches so that other requests are served.
    await new Promise(setImmediate)
    if (rows.length < limits.event_batch_max) return false
    before = rows.at(-1)?.sequence ?? 0
  }
  return true
}

/**
 * Counts the retained events since `since` that would have started runs, judged by the tasks' present state, and the firings of
 * schedules and the due tasks that would have. `more` reports that there were others that were not considered.
 */
export async function countMatches(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  window: Window,
): Promise<{ readonly count: number; readonly more: boolean }> {
  const around = new Surroundings(reader, flow.realm)
  let count = 0
  const more = await visitWatched(reader, flow, program, window, async (event) => {
    const matches = await matchesOf(around, flow, program, event, window.now)
    if (matches.some(({ failure }) => failure === null)) count++
    return true
  })
  const clocks = await momentsOf(reader, flow, program, window)
  const received = await receivedStarts(reader, flow, program, window, automation_limits.automation_matches_events_max)
  const found = count + clocks.moments.length + received.starts.length
  return { count: found, more: more || clocks.more || received.more }
}

export interface RecentStart {
  readonly trigger: string
  readonly task: string | null
  /** Null for a schedule, a due task, an incoming webhook, a form, mail and a call. */
  readonly event: Event | null
  /** The request of an incoming webhook. */
  readonly request: HookRequest | null
  /** The answers of a form by key. */
  readonly form: object | null
  /** The mail that was received. */
  readonly mail: FlowMail | null
  /** The inputs of a call by key. */
  readonly call: object | null
  /** When it was, in milliseconds. */
  readonly at: number
}

/**
 * The latest starts that events, schedules and due dates since `since` would have caused, newest first, at most `count`; `more`
 * reports that there are older ones.
 */
export async function recentStarts(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  window: Window,
  count: number,
): Promise<{ readonly starts: readonly RecentStart[]; readonly more: boolean }> {
  const around = new Surroundings(reader, flow.realm)
  const starts: RecentStart[] = []
  const moreEvents = await visitWatched(reader, flow, program, window, async (event) => {
    const matches = await matchesOf(around, flow, program, event, window.now)
    const found = matches.filter(({ failure }) => failure === null)
    if (starts.length + found.length > count) return false
    starts.push(
      ...found.map(({ trigger, task }) => ({ ...nothing_received, trigger, task, event, at: event.created * 1000 })),
    )
    return true
  })
  const clocks = await momentsOf(reader, flow, program, window)
  for (const { trigger, at, tasks } of clocks.moments.slice(0, count + 1)) {
    starts.push(...tasks.map((task) => ({ ...nothing_received, trigger, task, event: null, at })))
  }
  const received = await receivedStarts(reader, flow, program, window, count)
  starts.push(...received.starts)
  const latest = starts.toSorted((a, b) => b.at - a.at).slice(0, count)
  return { starts: latest, more: moreEvents || clocks.more || received.more || latest.length < starts.length }
}

const nothing_received = { request: null, form: null, mail: null, call: null }

/**
 * The requests of incoming webhooks, submissions of forms, mails and calls since `since` that the trigger's present condition allows,
 * newest first, of the latest `count` of each that started runs. Only for viewers of automations, which every caller here is.
 */
async function receivedStarts(
  reader: Reader,
  flow: CountedFlow,
  program: Program,
  { since, now }: Window,
  count: number,
): Promise<{ readonly starts: readonly RecentStart[]; readonly more: boolean }> {
  const each = [
    await receivedBy(webhookOf(program), async () => {
      const arrived = await hookRequests.latest(reader, flow, since, count + 1)
      return arrived.map(({ content: request, at }) => ({ request, at }))
    }),
    await receivedBy(formOf(program), async () => {
      const arrived = await submissions.latest(reader, flow, since, count + 1)
      return arrived.map(({ content, at }) => ({ form: formValues(content), at }))
    }),
    await receivedBy(mailTriggerOf(program), async () => {
      const arrived = await flowMails.latest(reader, flow, since, count + 1)
      return arrived.map(({ content: mail, at }) => ({ mail, at }))
    }),
    await receivedBy(callTriggerOf(program), async () => await latestCalls(reader, flow, since, count + 1)),
  ]
  const found = each.flatMap((received) => received.slice(0, count))
  if (found.length === 0) return { starts: [], more: false }
  const org = await new Surroundings(reader, flow.realm).org(flow.organization)
  const starts = found.flatMap(({ trigger, at, task, ...given }): RecentStart[] => {
    const facts = { ...factsOf(flow, org, { event: null, task: null }, now), ...given }
    const { allows } = triggerAllows(program, trigger, triggerVariables(facts))
    return allows ? [{ trigger, task, event: null, ...given, at }] : []
  })
  return { starts, more: each.some((received) => received.length > count) }
}

type ReceivedStart = Pick<RecentStart, 'trigger' | 'task' | 'request' | 'form' | 'mail' | 'call' | 'at'>

/** What a trigger received; nothing if the flow has no such trigger. */
async function receivedBy(
  trigger: { readonly id: string } | undefined,
  read: () => Promise<readonly (Partial<ReceivedStart> & { readonly at: number })[]>,
): Promise<ReceivedStart[]> {
  if (trigger === undefined) return []
  return (await read()).map((received) => ({ ...nothing_received, task: null, ...received, trigger: trigger.id }))
}
