/**
 * Previews a flow: executes it with the engine in a transaction that is rolled back, and adds what activation requires.
 * Only the token remains, which the operation stores (contract/16#preview).
 */
import type { Caller } from '../../api/declare/caller.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import type { Services } from '../../api/services.ts'
import { automation_limits } from '../../automations/limits.ts'
import { mailTriggerOf, programOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import type { AutomationFlowRow, TaskRow } from '../../db/schema.ts'
import { countMatches } from '../automation_runs/shared/past-starts.ts'
import {
  type Decisions,
  type RehearsedCall,
  type RehearsedStep,
  rehearseRun,
} from '../automation_runs/shared/rehearse.ts'
import { aiCost, aiRefusal } from './ai-terms.ts'
import { type Assumed, assumeStart, type Sample } from './assumed-start.ts'
import type { AutomationPreview } from './automation_preview.ts'
import { faultsToday } from './graph-check.ts'

export type Previewed = Omit<AutomationPreview, 'preview_token' | 'expires_at'>

interface PreviewRequest {
  readonly services: Services
  readonly caller: Caller
  readonly flow: AutomationFlowRow
  readonly task: TaskRow
  /** What to preview an incoming webhook, a form, mail or a call with; null for what it received last. */
  readonly sample: Sample | null
  /** How approvals are assumed to end. */
  readonly decisions: Decisions
  /** Milliseconds. */
  readonly now: number
}

/** What would happen if the flow were active and its trigger fired now. Changes nothing. */
export async function previewFlow(request: PreviewRequest): Promise<Previewed> {
  const { services, caller, flow: draft, task, sample, now } = request
  const program = programOf(JSON.parse(draft.graph) as Graph)
  // The flow as its runs would see it.
  const flow = { ...draft, status: 'active', mode: 'live', version: draft.version + 1 }
  // These large reads stay outside the transaction, where they would block all writes.
  const reader = services.store.reader(caller.storeScope)
  const viewer = { mode: caller.mode, scopes: caller.scopes }
  const window = { viewer, since: now - automation_limits.automation_matches_ms, now }
  const matches = await countMatches(reader, flow, program, window)
  const today = await faultsToday({ tx: reader, caller }, draft, now)
  const { begun, run } = await services.store.rehearse(caller.storeScope, async (tx) => {
    const begun = await assumeStart(tx, flow, program, task, viewer, now, sample)
    const { trigger, task: subject, event, request: sent, form, mail, call } = begun
    const about = { trigger: trigger.id, task: subject, event, request: sent, form, mail, call }
    return { begun, run: await rehearseRun(tx, { ...request, program, ...about }) }
  })
  const required = JSON.parse(draft.required_scopes) as Scope[]
  const refusal = aiRefusal(program, services.settings.ai)
  return {
    object: 'automation_preview',
    automation_flow: draft.id,
    graph_hash: draft.graph_hash,
    task: task.id,
    trigger: showTrigger(begun),
    steps: run.steps.map(showStep),
    calls: run.calls.map(showCall),
    outcome: run.outcome,
    required_scopes: required,
    missing_scopes: required.filter((scope) => !caller.scopes.has(scope)),
    warnings: [
      ...today.warnings,
      ...today.faults.map((fault) => ({ code: 'reference_missing', ...fault })),
      ...(refusal === null ? [] : [warning('ai_unavailable', refusal)]),
      ...(services.settings.replyDomain === null && mailTriggerOf(program) !== undefined ? [no_mail] : []),
      ...(run.truncated ? [warning('preview_truncated', 'The preview took too long and is incomplete.')] : []),
      ...(matches.more
        ? [warning('matches_incomplete', 'Only the latest events, firings and due tasks were counted.')]
        : []),
    ],
    ai_cost: aiCost(program, services.settings.ai),
    matches_last_7_days: matches.count,
  }
}

function showStep(step: RehearsedStep): AutomationPreview['steps'][number] {
  return { ...step, path: [...step.path], changes: [...step.changes] }
}

function showCall(call: RehearsedCall): AutomationPreview['calls'][number] {
  const { node, path, parent, automation_flow, steps, outcome } = call
  return { node, path: [...path], parent, automation_flow, steps: steps.map(showStep), outcome }
}

const no_mail = warning(
  'mail_unavailable',
  'This installation receives no mail, so no mail starts the flow (ATRIUM_INBOUND_MAIL).',
)

function showTrigger({ trigger, event, status, reason }: Assumed): AutomationPreview['trigger'] {
  return { type: trigger.type, node: trigger.id, event: event?.type ?? null, status, reason }
}

function warning(code: string, message: string) {
  return { code, param: null, message }
}
