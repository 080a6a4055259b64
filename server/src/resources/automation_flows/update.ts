import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable, Title } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import type { Tx } from '../../db/store.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { AutomationFlow, automationFlowNoun, GraphSent, showAutomationFlow } from './automation_flow.ts'
import { automationFlowUpdated } from './events.ts'
import { checkGraph } from './graph-check.ts'
import { Notes, noteText } from './notes.ts'
import { voidPreviews } from './shared/queries.ts'

/**
 * Changes a flow that is not active. A change turns a paused flow into a draft and voids its previews. `notes` alone change neither, so
 * an active flow takes them, too.
 */
export const updateAutomationFlow = writeOperation({
  id: 'automation_flows.update',
  method: 'PATCH',
  path: '/v1/automation_flows/{id}',
  summary: 'Update an automation flow',
  description: '`graph` replaces the whole graph; a graph equal to the present one as JSON changes nothing.',
  scope: 'automations:write',
  credits: 10,
  target: automationFlowNoun,
  body: {
    project: Type.Optional(Nullable(Id)),
    name: Type.Optional(Title),
    graph: Type.Optional(GraphSent),
    notes: Type.Optional(Notes),
  },
  returns: AutomationFlow,
  emits: [automationFlowUpdated],
  example: { params: { id: '{automation_flow}' }, body: { name: 'Nudge reviewers' } },
  async handle({ target, body, caller, tx, now, emit }) {
    const notes = body.notes === undefined ? target.notes : noteText(body.notes)
    const onlyNotes =
      body.notes !== undefined && body.project === undefined && body.name === undefined && body.graph === undefined
    if (onlyNotes) return annotate({ tx, now, emit }, target, notes)
    if (target.status === 'active') {
      throw refuse('resource_conflict', { message: 'The flow is active. Pause it first.' })
    }
    const { project, name } = body
    if (project && project !== target.project) await requireUsableProject({ tx, caller }, project, target.workspace)
    const sent = body.graph === undefined ? null : await checkGraph({ tx, caller }, body.graph, target.workspace, now)
    const graph =
      sent === null || sent.hash === target.graph_hash
        ? {}
        : {
            ...{ graph: sent.text, graph_hash: sent.hash, uses_ai: Number(sent.uses_ai) },
            required_scopes: JSON.stringify(sent.required_scopes),
          }
    const differs =
      (project !== undefined && project !== target.project) ||
      (name !== undefined && name !== target.name) ||
      'graph' in graph
    if (!differs) return annotate({ tx, now, emit }, target, notes)
    const draft = { status: 'draft', paused_at: null, pause_reason: null, pause_origin: null }
    const changed =
      applyChange(tx, 'automation_flows', target, { project, name, notes, ...graph, ...draft }, now) ?? target
    voidPreviews(tx, target)
    const flow = showAutomationFlow(changed)
    emit(automationFlowUpdated, flow, showAutomationFlow(target))
    return flow
  },
})

interface Work {
  readonly tx: Tx
  readonly now: number
  emit(event: typeof automationFlowUpdated, after: AutomationFlow, before: AutomationFlow): void
}

/** Changes the notes, which previews and runs do not depend on. */
function annotate({ tx, now, emit }: Work, target: AutomationFlowRow, notes: string): AutomationFlow {
  const changed = applyChange(tx, 'automation_flows', target, { notes }, now)
  const flow = showAutomationFlow(changed ?? target)
  if (changed !== null) emit(automationFlowUpdated, flow, showAutomationFlow(target))
  return flow
}
