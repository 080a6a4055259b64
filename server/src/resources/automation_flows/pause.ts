import Type from 'typebox'
import { refuse } from '../../api/errors.ts'
import { writeOperation } from '../../api/operation.ts'
import { Id, Note } from '../../api/shapes.ts'
import { AutomationFlow, automationFlowNoun, showAutomationFlow } from './automation_flow.ts'
import { automationFlowPaused } from './events.ts'
import { pauseFlow } from './queries.ts'

/** Pauses an active flow: nothing starts any more, what waits to begin is skipped, and what has begun goes on to its end. */
export const pauseAutomationFlow = writeOperation({
  id: 'automation_flows.pause',
  method: 'POST',
  path: '/v1/automation_flows/{id}/pause',
  summary: 'Pause an automation flow',
  description:
    'The reason is kept with the flow and in the audit log. Runs that have begun are ended by canceling them.',
  scope: 'automations:write',
  credits: 10,
  target: automationFlowNoun,
  body: { workspace: Id, reason: Type.Optional(Note) },
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
