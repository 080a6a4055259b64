/**
 * Starts runs from events, clocks and people by the same rules (contract/16#run-start). A run that may not start is
 * stored as skipped with its reason. A trigger of a version starts once per key. Writes of one organization are serial,
 * so these counts hold until the commit.
 */

import type { EventType } from '../../api/declare/event.ts'
import type { Event } from '../../api/stream/shape.ts'
import type { StepInput } from '../../automations/correction.ts'
import { automation_limits } from '../../automations/limits.ts'
import type { Program } from '../../automations/program.ts'
import type { StepFailure } from '../../automations/resolve.ts'
import { default_settings, type Settings } from '../../automations/schema.ts'
import { type Placeholder, query, updateQuery } from '../../db/query.ts'
import type { AutomationFlowRow, AutomationRunRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import { type Correction, showAutomationRun } from './automation_run.ts'
import { cancelRun } from './end-run.ts'
import { automationRunQueued, automationRunSkipped } from './events.ts'
import type { CallPlace } from './queries/calls.ts'

export interface StartTransaction {
  readonly tx: Tx
  readonly now: number
  emit(event: EventType, after: object, before?: object): void
}

/** A flow without its graph, which the program holds. */
export type StartedFlow = Omit<AutomationFlowRow, 'graph' | 'graph_hash' | 'required_scopes'>

export interface Start {
  /** Active, read in this transaction. */
  readonly flow: StartedFlow
  readonly program: Program
  /** The id of the trigger node. */
  readonly trigger: string
  /** Identifies the cause: the event, or the moment with its task. */
  readonly key: string
  readonly task: string | null
  readonly event: Event | null
  /** The flows that caused the event, outermost first. */
  readonly causes: readonly string[]
  /** The run that it repeats. Its debounce is over. */
  readonly rerun?: Rerun
  /** The inputs of a call, and the step that made it; a rerun has no such step. */
  readonly call?: { readonly inputs: object; readonly by: CallPlace | null }
  /** Why the trigger's `when` could not be evaluated; the run is skipped with it. */
  readonly failure?: StepFailure
}

interface Rerun {
  readonly of: string
  /** The node from which it is repeated; null from the start. */
  readonly from: string | null
  /** The number of journal entries that are taken over. */
  readonly steps: number
  /** What a person corrected of its input, and the corrected settings of the step `from`. */
  readonly correction: Correction | null
  readonly step_input: StepInput | null
}

type SkipReason = 'trigger_failed' | 'depth_exceeded' | 'reentry' | 'hourly_limit' | 'queue_full' | 'concurrency'

const findByTrigger = query(
  (db, p: Placeholder<{ realm: number; flow: string; version: number; trigger: string; key: string }>) =>
    db
      .selectFrom('automation_runs')
      .select('id')
      .where('realm', '=', p('realm'))
      .where('automation_flow', '=', p('flow'))
      .where('flow_version', '=', p('version'))
      .where('trigger_node', '=', p('trigger'))
      .where('trigger_key', '=', p('key')),
)

const countSince = query((db, p: Placeholder<{ realm: number; flow: string; since: number }>) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('created', '>', p('since'))
    .where('status', '<>', 'skipped'),
)

const countOpen = query((db, p: Placeholder<{ realm: number; flow: string }>) =>
  db
    .selectFrom('automation_runs')
    .select((select) => select.fn.countAll().as('count'))
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('ended_at', 'is', null),
)

const openOfKey = query((db, p: Placeholder<{ realm: number; flow: string; key: string }>) =>
  db
    .selectFrom('automation_runs')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('automation_flow', '=', p('flow'))
    .where('concurrency_key', '=', p('key'))
    .where('ended_at', 'is', null)
    .orderBy('id'),
)

/** A debounced run that still waits for further events, by task or without one. */
const debouncing = (taskless: boolean) =>
  query<
    AutomationRunRow,
    {
      realm: number
      flow: string
      concurrency_key: string
      version: number
      trigger: string
      task: string | null
      now: number
    }
  >((db, p) =>
    db
      .selectFrom('automation_runs')
      .selectAll()
      .where('realm', '=', p('realm'))
      .where('automation_flow', '=', p('flow'))
      .where('concurrency_key', '=', p('concurrency_key'))
      .where('ended_at', 'is', null)
      .where('flow_version', '=', p('version'))
      .where('trigger_node', '=', p('trigger'))
      .where((is) => (taskless ? is('task', 'is', null) : is('task', '=', p('task'))))
      .where('status', '=', 'queued')
      .where('wake_at', '>', p('now')),
  )
const debouncingOfTask = debouncing(false)
const debouncingOfNone = debouncing(true)

const markStarted = query((db, p: Placeholder<{ now: number | null; realm: number; flow: string }>) =>
  db
    .updateTable('automation_flows')
    .set({ last_run_at: p('now') })
    .where('realm', '=', p('realm'))
    .where('id', '=', p('flow')),
)

/**
 * Starts a run, or stores a skipped one with the reason, and returns its row; null if this key already started this
 * trigger of this version. Emits `automation.run.queued` or `.skipped`; an event that joins a debounced run emits
 * nothing.
 */
export async function startRun(transaction: StartTransaction, start: Start): Promise<AutomationRunRow | null> {
  const { tx, now, emit } = transaction
  const { flow, program, trigger, key } = start
  const bound = { realm: flow.realm, flow: flow.id, version: flow.version, trigger, key }
  if ((await tx.first(findByTrigger, bound)) !== undefined) return null
  const settings = { ...default_settings, ...program.graph.settings }
  const concurrency = { ...default_settings.concurrency, ...settings.concurrency }
  const concurrencyKey = concurrency.scope === 'flow' ? 'flow' : (start.task ?? '')
  const joined = await debounced(transaction, start, settings, concurrencyKey)
  if (joined !== null) return joined
  const reason = start.failure === undefined ? await reasonToSkip(transaction, start, settings) : 'trigger_failed'
  const row = newRun(start, settings, concurrencyKey, now)
  if (reason !== null) return skip(transaction, row, reason, start.failure)
  const open = concurrency.on_conflict === 'queue' ? [] : await tx.all(openOfKey, { ...bound, key: concurrencyKey })
  if (concurrency.on_conflict === 'skip' && open.length >= concurrency.limit)
    return skip(transaction, row, 'concurrency')
  for (const run of open)
    await cancelRun(transaction, run, { by: { type: 'automation', id: flow.id }, reason: 'superseded' })
  tx.insert('automation_runs', row)
  tx.write(markStarted, { realm: flow.realm, flow: flow.id, now })
  emit(automationRunQueued, showAutomationRun(row))
  return row
}

/** The debounced run that an event joins. It starts with the latest event after `debounce_seconds` without another. */
async function debounced(
  { tx, now }: StartTransaction,
  { flow, trigger, key, task, event, rerun }: Start,
  settings: Settings,
  concurrency_key: string,
): Promise<AutomationRunRow | null> {
  const wait_ms = (settings.debounce_seconds ?? 0) * 1000
  if (wait_ms === 0 || event === null || rerun !== undefined) return null
  const { realm, id, version } = flow
  const bound = { realm, flow: id, version, trigger, task, concurrency_key, now }
  const waiting = await tx.first(task === null ? debouncingOfNone : debouncingOfTask, bound)
  if (waiting === undefined) return null
  const later = {
    trigger_key: key,
    trigger_event: event.id,
    event: JSON.stringify(event),
    wake_at: now + wait_ms,
    due_at: now + wait_ms,
  }
  tx.write(updateQuery('automation_runs', Object.keys(later)), { ...later, realm, id: waiting.id })
  return { ...waiting, ...later }
}

/** Why a run may not start; null if it may. */
async function reasonToSkip(
  { tx, now }: StartTransaction,
  start: Start,
  settings: Settings,
): Promise<SkipReason | null> {
  const { flow, causes } = start
  if (causes.length >= automation_limits.automation_chain_max) return 'depth_exceeded'
  if (causes.includes(flow.id) && settings.allow_reentry !== true) return 'reentry'
  const bound = { realm: flow.realm, flow: flow.id }
  const recent = await tx.first(countSince, { ...bound, since: now - automation_limits.automation_rate_window_ms })
  if (Number(recent?.count) >= (settings.max_runs_per_hour ?? default_settings.max_runs_per_hour)) return 'hourly_limit'
  const open = await tx.first(countOpen, bound)
  return Number(open?.count) >= automation_limits.automation_queue_max ? 'queue_full' : null
}

function skip({ tx, now, emit }: StartTransaction, row: AutomationRunRow, reason: SkipReason, why?: StepFailure) {
  const failure =
    why === undefined ? null : JSON.stringify({ code: why.code, message: why.message, node: row.trigger_node })
  const skipped = {
    ...row,
    steps: 0,
    status: 'skipped',
    status_reason: reason,
    failure,
    ended_at: now,
    due_at: null,
    wake_at: null,
  }
  tx.insert('automation_runs', skipped)
  emit(automationRunSkipped, showAutomationRun(skipped))
  return skipped
}

function textOf(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

function newRun(start: Start, settings: Settings, concurrency_key: string, now: number): AutomationRunRow {
  const { flow, program, trigger, event, rerun } = start
  const wait_ms = event === null || rerun !== undefined ? 0 : (settings.debounce_seconds ?? 0) * 1000
  return {
    realm: flow.realm,
    id: newId('run', now),
    created: now,
    updated: now,
    revision: 1,
    deleted_at: null,
    organization: flow.organization,
    mode_of_data: flow.mode_of_data,
    workspace: flow.workspace,
    automation_flow: flow.id,
    flow_version: flow.version,
    mode: flow.mode,
    task: start.task,
    trigger_type: program.triggers.get(trigger)?.type ?? '',
    trigger_node: trigger,
    trigger_event: event?.id ?? null,
    trigger_key: start.key,
    event: event === null ? null : JSON.stringify(event),
    causes: JSON.stringify(start.causes),
    depth: start.causes.length,
    ...repeatedFrom(rerun),
    ...calledAs(start),
    status: 'queued',
    status_reason: null,
    current_node: null,
    attempt: 0,
    wake_at: wait_ms === 0 ? null : now + wait_ms,
    started_at: null,
    ended_at: null,
    deadline_at: null,
    canceled_by_type: null,
    canceled_by_id: null,
    failure: null,
    steps: rerun?.steps ?? 0,
    http_requests: 0,
    ai_requests: 0,
    ai_input_tokens: 0,
    ai_output_tokens: 0,
    ai_cost_micros: 0,
    concurrency_key,
    holds_slot: 0,
    due_at: now + wait_ms,
    epoch: 0,
    lease_owner: null,
    lease_until: null,
  }
}

function repeatedFrom(rerun: Start['rerun']) {
  return {
    rerun_of: rerun?.of ?? null,
    rerun_from: rerun?.from ?? null,
    correction: textOf(rerun?.correction),
    step_input: textOf(rerun?.step_input),
  }
}

function calledAs({ call }: Start) {
  const { run = null, node = null, path = null } = call?.by ?? {}
  const inputs = call === undefined ? null : JSON.stringify(call.inputs)
  return { called_by: run, called_by_node: node, called_by_path: path, inputs }
}
