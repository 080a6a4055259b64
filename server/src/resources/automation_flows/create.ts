import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { Id, Nullable, Title } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { newId } from '../../lib/ids.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { AutomationFlow, authority_of_activation, GraphSent, showAutomationFlow } from './automation_flow.ts'
import { automationFlowCreated } from './events.ts'
import { checkGraph } from './graph-check.ts'
import { Notes, noteText } from './notes.ts'

/** Creates a draft from a valid graph, or reports all faults at once. A draft starts no runs. */
export const createAutomationFlow = writeOperation({
  id: 'automation_flows.create',
  method: 'POST',
  path: '/v1/automation_flows',
  summary: 'Create an automation flow',
  description:
    'Objects that the graph refers to must exist in the workspace. With `project`, only events of that project start the flow.',
  scope: 'automations:write',
  credits: 10,
  body: {
    workspace: Id,
    name: Title,
    graph: GraphSent,
    project: Type.Optional(Nullable(Id)),
    notes: Type.Optional(Notes),
  },
  returns: AutomationFlow,
  emits: [automationFlowCreated],
  example: {
    body: {
      workspace: '{workspace}',
      name: 'Nudge reviewers of urgent tasks',
      graph: {
        schema_version: 1,
        nodes: [
          { id: 'changed', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } },
          { id: 'urgent', type: 'condition', config: { expr: "task.priority == 'urgent'" } },
          { id: 'nudge', type: 'task.comment', config: { body: { $template: 'Please look at {{ task.key }}.' } } },
        ],
        edges: [
          { source: 'changed', target: 'urgent' },
          { source: 'urgent', target: 'nudge' },
        ],
      },
    },
  },
  async handle({ body, caller, tx, now, emit }) {
    const { id: workspace } = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    if (body.project) await requireUsableProject({ tx, caller }, body.project, workspace)
    const { text, hash, required_scopes, uses_ai } = await checkGraph({ tx, caller }, body.graph, workspace, now)
    const notes = noteText(body.notes ?? [])
    const { realm, organization, mode } = caller
    const row: AutomationFlowRow = {
      ...{ realm, id: newId('flow', now), created: now, updated: now, revision: 1, deleted_at: null },
      ...{ organization, mode_of_data: mode, workspace, project: body.project ?? null, name: body.name },
      ...{
        graph: text,
        graph_hash: hash,
        required_scopes: JSON.stringify(required_scopes),
        uses_ai: Number(uses_ai),
        notes,
      },
      ...{ status: 'draft', mode: 'live', version: 0, active_after: 0, last_run_at: null, consecutive_failures: 0 },
      ...{ activated_at: null, activated_by_type: null, activated_by_id: null },
      ...{
        paused_at: null,
        pause_reason: null,
        pause_origin: null,
        last_named_version: null,
        ...authority_of_activation,
      },
    }
    tx.insert('automation_flows', row)
    const flow = showAutomationFlow(row)
    emit(automationFlowCreated, flow)
    return flow
  },
})
