import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, Note } from '../../api/declare/shapes.ts'
import { AutomationFlow, automationFlowNoun, showAutomationFlow } from './automation_flow.ts'
import { automationFlowPaused } from './events.ts'
import { pauseFlow } from './shared/queries.ts'

/** Pauses an active flow: no further runs start, queued runs are skipped, and runs that have begun continue. */
export const pauseAutomationFlow = writeOperation({
  id: 'automation_flows.pause',
  method: 'POST',
  path: '/v1/automation_flows/{id}/pause',
  summary: 'Pause an automation flow',
  description: 'The flow and the audit log keep the reason. To end runs that have begun, cancel them.',
  scope: 'automations:write',
  credits: 10,
  target: automationFlowNoun,
  body: {
    workspace: Id,
    reason: described(Type.Optional(Note), 'Why the flow is paused; the flow and the audit log show it.'),
  },
  returns: AutomationFlow,
  emits: [automationFlowPaused],
  example: {
    params: { id: '{active_flow}' },
    body: { workspace: '{workspace}', reason: 'Too noisy during the release' },
  },
  async handle({ target, body, tx, now, emit, note }) {
    if (target.status !== 'active') throw refuse('resource_conflict', { message: `The flow is ${target.status}.` })
    const reason = body.reason || null
    const paused = await pauseFlow({ tx, now, emit }, target, { reason, origin: 'user' })
    if (reason !== null) note({ reason })
    return showAutomationFlow(paused)
  },
})
