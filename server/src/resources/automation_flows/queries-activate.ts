/** Activating a flow: what has to be true for it, and what it leaves behind: a version that never changes (decisions §16). */
import type { Caller } from '../../api/caller.ts'
import { applyChange } from '../../api/change.ts'
import { refuse } from '../../api/errors.ts'
import type { Scope } from '../../api/scopes.ts'
import type { Settings } from '../../api/services.ts'
import { type Program, programOf } from '../../automations/program.ts'
import type { Graph } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { armFlow } from '../automation_runs/queries-arm.ts'
import { projectNoun, requireActiveProject } from '../projects/project.ts'
import { aiCost, aiRefusal } from './ai-terms.ts'
import type { flow_modes } from './automation_flow.ts'
import { faultsToday } from './graph-check.ts'

interface Asked {
  readonly tx: Tx
  readonly caller: Caller
  /** Milliseconds. */
  readonly now: number
  readonly ai: Settings['ai']
}

/**
 * The flow's program, when it may be activated now: 409 for its state, its project, what its graph names and is gone, and
 * AI steps that could never run; 400 without acknowledged costs; 403 without a scope that it needs.
 */
export async function requireActivable(asked: Asked, flow: AutomationFlowRow, aiAcknowledged: boolean) {
  const { tx, caller, now, ai } = asked
  if (flow.status === 'active') throw refuse('resource_conflict', { message: 'The flow is active.' })
  await requireProject(asked, flow)
  const { faults } = await faultsToday({ tx, caller }, flow.graph, flow.workspace, now)
  const [fault] = faults
  if (fault !== undefined) {
    const message = `The graph has become wrong: ${fault.message}`
    throw refuse('resource_conflict', { param: fault.param, message, details: faults })
  }
  const program = programOf(JSON.parse(flow.graph) as Graph)
  const refusal = aiRefusal(program, ai)
  if (refusal !== null) throw refuse('resource_conflict', { message: refusal })
  if (aiCost(program, ai).acknowledgement_required && !aiAcknowledged) {
    const message = 'The flow has AI steps: ai_cost_acknowledged must be true.'
    throw refuse('invalid_request_body', { param: 'ai_cost_acknowledged', message })
  }
  requireScopes(flow, caller)
  return program
}

/** Without its project a flow would watch nothing, or be about what can no longer be changed. */
async function requireProject({ tx, caller }: Asked, flow: AutomationFlowRow): Promise<void> {
  if (flow.project === null) return
  const project = await projectNoun.find(tx, caller, flow.project)
  if (project === undefined || project.deleted_at !== null) {
    throw refuse('resource_conflict', { message: 'The project of the flow was deleted: change it first.' })
  }
  requireActiveProject(project)
}

function requireScopes(flow: AutomationFlowRow, caller: Caller): void {
  const required = JSON.parse(flow.required_scopes) as Scope[]
  const missing = required.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw refuse('insufficient_scope', {
    message: `The flow needs ${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}, which the credential does not have.`,
  })
}

/** Makes the flow active in its next version, sets up what starts it, and returns its row. Everything is checked before. */
export async function activateFlow(
  { tx, caller, now }: Asked,
  flow: AutomationFlowRow,
  program: Program,
  mode: (typeof flow_modes)[number],
): Promise<AutomationFlowRow> {
  const by = { activated_by_type: caller.owner.type, activated_by_id: caller.owner.id }
  const version = flow.version + 1
  const changes = {
    ...{ status: 'active', mode, version, activated_at: now, ...by },
    ...{ paused_at: null, pause_reason: null, pause_origin: null, consecutive_failures: 0 },
  }
  const active = applyChange(tx, 'automation_flows', flow, changes, now) as AutomationFlowRow
  const { realm, id, graph, graph_hash, required_scopes: scopes } = flow
  tx.insert('automation_versions', {
    ...{ realm, flow: id, version, created: now, graph, graph_hash, mode, scopes },
    ...{ credential: caller.credential, ...by },
  })
  await armFlow({ tx, now }, active, program)
  return active
}
