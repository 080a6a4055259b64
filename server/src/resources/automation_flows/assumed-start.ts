/**
 * The start that a preview assumes: the first trigger whose runs have a task. For an event trigger it is the latest
 * retained event about the task that the trigger watches, or else an invented event about the task's present state; for an
 * incoming webhook the request that was sent as a sample, or else the latest one, for a form its answers and for mail
 * the mail likewise (contract/16#preview).
 */

import { newest_version } from '../../api/declare/version.ts'
import { limits } from '../../api/limits.ts'
import { type Event, showEvent, type Viewer } from '../../api/stream/shape.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { FlowMail } from '../../automations/mails.ts'
import { callTriggerOf, formOf, mailTriggerOf, type Program, webhookOf } from '../../automations/program.ts'
import { triggerAllows } from '../../automations/resolve.ts'
import type { NodeOf, TriggerNode } from '../../automations/schema.ts'
import { hasTask, taskField, taskOfEvent, watches } from '../../automations/triggers.ts'
import { triggerVariables } from '../../automations/variables.ts'
import { isOneOf } from '../../db/dialect.ts'
import { query } from '../../db/query.ts'
import type { AutomationFlowRow, EventRow, TaskRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { type HookRequest, hookRequests } from '../automation_runs/shared/hooks.ts'
import { factsOf, Surroundings } from '../automation_runs/shared/matches.ts'
import { showTask } from '../tasks/task.ts'
import { assumedCall } from './samples/call.ts'
import { assumedForm } from './samples/form.ts'
import { assumedMail } from './samples/mail.ts'

export interface Assumed {
  readonly trigger: TriggerNode
  /** Null if the trigger's runs have no task. */
  readonly task: TaskRow | null
  readonly event: Event | null
  /** The request of an incoming webhook; null for other triggers. */
  readonly request: HookRequest | null
  /** The answers of a form by key; null for other triggers. */
  readonly form: object | null
  /** The mail that was received; null for other triggers. */
  readonly mail: FlowMail | null
  /** The inputs of a call by key; null for other triggers. */
  readonly call: object | null
  /** Whether the trigger's `when` allows this run, and the reason if it does not or cannot be evaluated. */
  readonly status: 'would_start' | 'would_not_start' | 'unknown'
  readonly reason: string | null
}

const lastOfRealm = query<{ sequence: number }, { realm: number }>((db, p) =>
  db.selectFrom('event_heads').select('sequence').where('realm', '=', p('realm')),
)

const latest = query<EventRow, { realm: number; after: number; workspace: string; types: string; count: number }>(
  (db, p, dialect) =>
    db
      .selectFrom('events')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('sequence', '>', p('after'))
      .where('workspace', '=', p('workspace'))
      .where(isOneOf(dialect, 'type', p('types')))
      .orderBy('sequence', 'desc')
      .limit(p('count')),
)

/** What a preview was given to start with: a request of an incoming webhook, the answers of a form, a mail, or the inputs of a call. */
export type Sample =
  | { readonly request: HookRequest }
  | { readonly form: object }
  | { readonly mail: FlowMail }
  | { readonly call: object }

/**
 * Chooses the assumed start from what the viewer may read. `now` is in milliseconds. With a sample the run starts at the trigger
 * that receives it.
 */
export async function assumeStart(
  reader: Reader,
  flow: AutomationFlowRow,
  program: Program,
  task: TaskRow,
  viewer: Viewer,
  now: number,
  sample: Sample | null,
): Promise<Assumed> {
  const trigger = receiverOf(program, sample) ?? assumedTrigger(program)
  const subject = hasTask(trigger) === 'never' ? null : task
  const event =
    trigger.type === 'trigger.event' ? await assumedEvent(reader, flow, trigger.config, task, viewer, now) : null
  const received = await receivedBy(reader, flow, trigger, sample, now)
  const around = new Surroundings(reader, flow.realm)
  const shown = subject === null ? null : await around.task(subject.id, program)
  const org = await around.org(flow.organization)
  const facts = { ...factsOf(flow, org, { event, task: shown }, now), ...received }
  const { allows, failure } = triggerAllows(program, trigger.id, triggerVariables(facts))
  const begun = { trigger, task: subject, event, ...received }
  if (flow.project !== null && subject !== null && subject.project !== flow.project) {
    return { ...begun, status: 'would_not_start', reason: 'The task is not in the project of the flow.' }
  }
  if (failure !== null) return { ...begun, status: 'unknown', reason: failure.message }
  return allows
    ? { ...begun, status: 'would_start', reason: null }
    : { ...begun, status: 'would_not_start', reason: 'config.when is false.' }
}

function receiverOf(program: Program, sample: Sample | null): TriggerNode | undefined {
  if (sample === null) return undefined
  if ('mail' in sample) return mailTriggerOf(program)
  if ('call' in sample) return callTriggerOf(program)
  return 'form' in sample ? formOf(program) : webhookOf(program)
}

/** What the trigger receives: the sample, or else what it received last. */
async function receivedBy(
  reader: Reader,
  flow: AutomationFlowRow,
  trigger: TriggerNode,
  sample: Sample | null,
  now: number,
): Promise<Pick<Assumed, 'request' | 'form' | 'mail' | 'call'>> {
  const nothing = { request: null, form: null, mail: null, call: null }
  if (sample !== null) return { ...nothing, ...sample }
  if (trigger.type === 'trigger.webhook') return { ...nothing, request: await assumedRequest(reader, flow) }
  if (trigger.type === 'trigger.form') return { ...nothing, form: await assumedForm(reader, flow, trigger, now) }
  if (trigger.type === 'trigger.call') return { ...nothing, call: await assumedCall(reader, flow, trigger) }
  return trigger.type === 'trigger.mail' ? { ...nothing, mail: await assumedMail(reader, flow) } : nothing
}

/** The latest request that started a run, or else an empty one. */
async function assumedRequest(reader: Reader, flow: AutomationFlowRow): Promise<HookRequest> {
  const [latest] = await hookRequests.latest(reader, flow, 0, 1)
  return latest?.content ?? { id: null, body: null, headers: {}, query: {} }
}

function assumedTrigger(program: Program): TriggerNode {
  const triggers = [...program.triggers.values()]
  const of = (has: string) => triggers.find((each) => hasTask(each) === has)
  return of('always') ?? of('sometimes') ?? (triggers[0] as TriggerNode)
}

/** The latest retained event about the task that the trigger watches and the viewer may read, or else an invented event. */
export async function assumedEvent(
  reader: Reader,
  flow: AutomationFlowRow,
  config: NodeOf<'trigger.event'>['config'],
  task: TaskRow,
  viewer: Viewer,
  now: number,
): Promise<Event | null> {
  const { realm, workspace } = flow
  const last = (await reader.first(lastOfRealm, { realm }))?.sequence ?? 0
  const rows = await reader.all(latest, {
    ...{
      realm,
      workspace,
      after: last - automation_limits.automation_matches_events_max,
      count: limits.event_batch_max,
    },
    types: JSON.stringify(config.event_types),
  })
  const about = rows.map((row) => showEvent(row, viewer)).filter((event) => taskOfEvent(event) === task.id)
  return about.find((event) => watches({ config }, event)) ?? imagined(flow, config, task, last + 1, now)
}

/**
 * An event with the task's present state. Null for triggers on comments and other objects, whose content cannot be
 * guessed.
 */
function imagined(
  flow: AutomationFlowRow,
  config: NodeOf<'trigger.event'>['config'],
  task: TaskRow,
  sequence: number,
  now: number,
): Event | null {
  const type = config.event_types.find((each) => each.startsWith('workflow.task.') && taskField(each) === 'id')
  if (type === undefined) return null
  return {
    id: newId('evt', now),
    object: 'event',
    type,
    created: seconds(now),
    sequence,
    api_version: newest_version,
    livemode: flow.mode_of_data === 'live',
    organization: flow.organization,
    workspace: flow.workspace,
    actor: { type: 'system', id: 'system' },
    request: null,
    commit: { id: newId('txn', now), index: 0, size: 1 },
    data: { object: showTask(task), previous_attributes: type.endsWith('.created') ? null : {} },
  }
}
