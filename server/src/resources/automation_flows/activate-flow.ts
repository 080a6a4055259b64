/** Activation of a flow: its preconditions, and the immutable version that it creates (contract/16#activation). */
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Scope } from '../../api/declare/scopes.ts'
import type { Settings } from '../../api/services.ts'
import { applyChange } from '../../api/write/change.ts'
import { formOf, mailTriggerOf, type Program, programOf, webhookOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import type { Sealer } from '../../lib/seal.ts'
import { armFlow } from '../automation_runs/shared/arm.ts'
import { formAddresses } from '../automation_runs/shared/forms.ts'
import { hookAddresses } from '../automation_runs/shared/hooks.ts'
import { mailAddresses } from '../automation_runs/shared/mails.ts'
import { requireFlowScopes } from '../automation_runs/shared/required-scopes.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { aiCost, aiRefusal } from './ai-terms.ts'
import { authority_of_activation, type flow_modes } from './automation_flow.ts'
import { faultsToday } from './graph-check.ts'

interface Activation {
  readonly tx: Tx
  readonly caller: Caller
  /** Milliseconds. */
  readonly now: number
  readonly ai: Settings['ai']
  readonly sealer: Sealer
}

/**
 * Returns the flow's program if it may be activated now. Refusals: 409 for the flow's state, its project, missing
 * references, or AI steps that cannot run; 400 if AI costs are not acknowledged; 403 if the caller lacks a required
 * scope.
 */
export async function requireActivable(activation: Activation, flow: AutomationFlowRow, aiAcknowledged: boolean) {
  const { tx, caller, now, ai } = activation
  if (flow.status === 'active') throw refuse('resource_conflict', { message: 'The flow is already active.' })
  await requireWorkspace(activation, flow)
  await requireProject(activation, flow)
  const { faults } = await faultsToday({ tx, caller }, flow, now)
  const [fault] = faults
  if (fault !== undefined) {
    const message = `The graph is no longer valid: ${fault.message}`
    throw refuse('resource_conflict', { param: fault.param, message, details: faults })
  }
  const program = programOf(JSON.parse(flow.graph) as Graph)
  const refusal = aiRefusal(program, ai)
  if (refusal !== null) throw refuse('resource_conflict', { message: refusal })
  if (aiCost(program, ai).acknowledgement_required && !aiAcknowledged) {
    const message = 'The flow has AI steps. Set `ai_cost_acknowledged` to true.'
    throw refuse('invalid_request_body', { param: 'ai_cost_acknowledged', message })
  }
  requireFlowScopes(caller, JSON.parse(flow.required_scopes) as Scope[])
  return program
}

async function requireWorkspace({ tx, caller }: Activation, { workspace }: AutomationFlowRow): Promise<void> {
  const row = await workspaceNoun.find(tx, caller, workspace)
  if (row !== undefined && row.deleted_at === null) return
  throw refuse('resource_conflict', { message: 'The workspace of the flow was deleted.' })
}

/** A flow of a deleted project would watch nothing, and one of an archived project could change nothing. */
async function requireProject({ tx, caller }: Activation, flow: AutomationFlowRow): Promise<void> {
  if (flow.project === null) return
  const project = await projectNoun.find(tx, caller, flow.project)
  if (project === undefined || project.deleted_at !== null) {
    throw refuse('resource_conflict', { message: 'The project of the flow was deleted. Choose another project first.' })
  }
  requireActiveProject(project)
}

/**
 * Activates the flow in its next version, arms its triggers and returns its row. The caller has checked the
 * preconditions.
 */
export async function activateFlow(
  { tx, caller, now, sealer }: Activation,
  flow: AutomationFlowRow,
  program: Program,
  mode: (typeof flow_modes)[number],
): Promise<AutomationFlowRow> {
  const by = { activated_by_type: caller.owner.type, activated_by_id: caller.owner.id }
  const version = flow.version + 1
  const changes = {
    ...{ status: 'active', mode, version, activated_at: now, ...by },
    ...{ paused_at: null, pause_reason: null, pause_origin: null, consecutive_failures: 0, ...authority_of_activation },
  }
  const active = applyChange(tx, 'automation_flows', flow, changes, now) as AutomationFlowRow
  const { realm, id, graph, graph_hash, required_scopes: scopes } = flow
  tx.insert('automation_versions', {
    ...{ realm, flow: id, version, name: null, created: now, graph, graph_hash, mode, scopes },
    ...{ credential: caller.credential, ...by },
    ...{ authority_credential: null, authority_type: null, authority_id: null, authority_renewed_at: null },
  })
  await armFlow({ tx, now }, active, program)
  if (webhookOf(program) !== undefined) await hookAddresses.open(tx, sealer, active, now)
  if (formOf(program) !== undefined) await formAddresses.open(tx, sealer, active, now)
  if (mailTriggerOf(program) !== undefined) await mailAddresses.open(tx, sealer, active, now)
  return active
}
