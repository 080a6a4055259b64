/**
 * Rehearses a flow: executes a run in a transaction that is rolled back, to find out what it would do
 * (contract/16#preview).
 */
import type { Caller } from '../../../api/declare/caller.ts'
import type { Scope } from '../../../api/declare/scopes.ts'
import type { Services } from '../../../api/services.ts'
import type { Program } from '../../../automations/program.ts'
import { triggerAllows } from '../../../automations/resolve.ts'
import { beforeOfEvent } from '../../../automations/triggers.ts'
import { type RunFacts, triggerVariables } from '../../../automations/variables.ts'
import { Walk } from '../../../automations/walk.ts'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationFlowRow, AutomationRunRow, TaskRow } from '../../../db/schema.ts'
import type { Tx } from '../../../db/store.ts'
import { seconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { readSubject } from '../queries/subject.ts'
import { type Decisions, type RehearsedCall, RehearsedRun, type RehearsedStep } from '../steps/rehearsal.ts'
import { orgOf, type RunScene, type RunState } from '../steps/run-state.ts'

export type { Decisions, RehearsedCall, RehearsedStep } from '../steps/rehearsal.ts'

export interface Rehearsal {
  /** Whether the trigger's `when` allows a run, and why not. */
  readonly trigger: { readonly starts: boolean; readonly reason: string | null }
  readonly steps: readonly RehearsedStep[]
  /** The flows that it would call, with those that they call. */
  readonly calls: readonly RehearsedCall[]
  /** How the run would end; null if that is unknown. */
  readonly outcome: 'succeeded' | 'failed' | null
  /** Whether the time limit ended the rehearsal early; steps that were not reached are `unknown`. */
  readonly truncated: boolean
}

export interface RehearsalInput {
  readonly services: Services
  readonly caller: Caller
  /** The flow as activation would make it: its graph is the program's, its version the next. */
  readonly flow: AutomationFlowRow
  readonly program: Program
  /** The id of the trigger node. */
  readonly trigger: string
  readonly task: TaskRow | null
  /** The event as the API shows it; null without an event. */
  readonly event: object | null
  /** The request of an incoming webhook; null for other triggers. */
  readonly request: object | null
  /** The answers of a form by key; null for other triggers. */
  readonly form: object | null
  /** The mail that was received; null for other triggers. */
  readonly mail: object | null
  /** The inputs of a call by key; null for other triggers. */
  readonly call: object | null
  /** How approvals are assumed to end. */
  readonly decisions?: Decisions
  /** Milliseconds. */
  readonly now: number
}

const findOrganization = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('organizations')
    .select(['organization', 'name', 'plan', 'service_user'])
    .where('organization', '=', p('organization')),
)

/**
 * Executes a run with the caller's authority and reports each step, even if the trigger's `when` would not allow the
 * run. The transaction must come from `store.rehearse`, because everything is written into it. Bounded by
 * `automation_preview_ms` and the maximum steps of a run.
 */
export async function rehearseRun(tx: Tx, input: RehearsalInput): Promise<Rehearsal> {
  const { flow, program, trigger, now, caller, services, decisions = new Map() } = input
  const scene = await sceneOf(tx, input)
  const state: RunState = {
    scene,
    run: rehearsed(input),
    walk: new Walk(program, trigger),
    entries: new Map(),
  }
  const allowed = await allows(tx, input, scene)
  const required = JSON.parse(flow.required_scopes) as Scope[]
  const authority = new Set(required.filter((scope) => caller.scopes.has(scope)))
  const run = new RehearsedRun(
    { tx, now, authority, state, mails: services.mailer !== null },
    services.clock,
    decisions,
  )
  await run.run()
  return { trigger: allowed, steps: run.steps, calls: run.calls, outcome: run.outcome, truncated: run.truncated }
}

async function sceneOf(
  tx: Tx,
  { flow, program, caller, event, request, form, mail, call, task }: RehearsalInput,
): Promise<RunScene> {
  const organization = await tx.first(findOrganization, { organization: caller.organization })
  if (organization === undefined) throw new RangeError(`There is no organization ${caller.organization}.`)
  const { id, name, workspace, project } = flow
  return {
    program,
    version: { realm: flow.realm, flow: id, version: flow.version, credential: caller.credential },
    flow: { id, name, version: flow.version, mode: 'live', workspace, project },
    organization,
    realm: flow.realm,
    mode: caller.mode,
    event,
    before: event === null ? null : beforeOfEvent(event as Parameters<typeof beforeOfEvent>[0]),
    request,
    form,
    mail,
    call,
    subject: task?.id ?? null,
    shadow: false,
  }
}

async function allows(tx: Tx, input: RehearsalInput, scene: RunScene): Promise<Rehearsal['trigger']> {
  const { program, trigger, now } = input
  const { event, before, request, form, mail, call, flow, subject, realm } = scene
  const task = subject === null ? null : await readSubject(tx, realm, subject, program)
  const given = { event, before, request, form, mail, call, task }
  const facts: RunFacts = { ...given, now: seconds(now), flow, org: orgOf(scene), run: null }
  const { allows: starts, failure } = triggerAllows(program, trigger, triggerVariables(facts))
  if (starts) return { starts, reason: null }
  return { starts, reason: failure?.message ?? 'The condition of the trigger is not met.' }
}

/** The row of the rehearsed run, with the fields that its steps read. */
function rehearsed({ flow, trigger, task, now, program }: RehearsalInput): AutomationRunRow {
  const nothing = { deleted_at: null, trigger_event: null, event: null, status_reason: null, current_node: null }
  const never = { wake_at: null, ended_at: null, deadline_at: null, due_at: null, lease_owner: null, lease_until: null }
  const not_canceled = { canceled_by_type: null, canceled_by_id: null, failure: null }
  const not_called = { called_by: null, called_by_node: null, called_by_path: null, inputs: null }
  const no_rerun = { rerun_of: null, rerun_from: null, correction: null, step_input: null }
  const unused = { ai_requests: 0, ai_input_tokens: 0, ai_output_tokens: 0, ai_cost_micros: 0, http_requests: 0 }
  return {
    ...nothing,
    ...never,
    ...not_canceled,
    ...no_rerun,
    ...not_called,
    ...unused,
    realm: flow.realm,
    id: newId('run', now),
    created: now,
    updated: now,
    revision: 1,
    organization: flow.organization,
    mode_of_data: flow.mode_of_data,
    workspace: flow.workspace,
    automation_flow: flow.id,
    flow_version: flow.version,
    mode: 'live',
    task: task?.id ?? null,
    trigger_type: program.triggers.get(trigger)?.type ?? '',
    trigger_node: trigger,
    trigger_key: '',
    causes: '[]',
    depth: 0,
    status: 'running',
    attempt: 0,
    started_at: now,
    steps: 0,
    concurrency_key: '',
    holds_slot: 0,
    epoch: 0,
  }
}
