import Type from 'typebox'
import { writeOperation } from '../../api/operation.ts'
import { Id, OneOf } from '../../api/shapes.ts'
import { AutomationFlow, automationFlowNoun, flow_modes, showAutomationFlow } from './automation_flow.ts'
import { automationFlowActivated } from './events.ts'
import { activateFlow, requireActivable } from './queries-activate.ts'
import { findPreview } from './queries-previews.ts'

/** Activates a draft or paused flow that was previewed as it is, with the scopes that it needs. Runs keep to this version. */
export const activateAutomationFlow = writeOperation({
  id: 'automation_flows.activate',
  method: 'POST',
  path: '/v1/automation_flows/{id}/activate',
  summary: 'Activate an automation flow',
  description:
    'Runs act with the required scopes as long as the credential that activated has them. In `shadow` mode runs write down ' +
    'what they would change, and change nothing.',
  scope: 'automations:write',
  credits: 10,
  target: automationFlowNoun,
  body: {
    workspace: Id,
    preview_token: Type.String({ minLength: 1, maxLength: 200 }),
    scope_acknowledged: Type.Literal(true),
    ai_cost_acknowledged: Type.Optional(Type.Boolean()),
    mode: Type.Optional(OneOf(...flow_modes)),
  },
  returns: AutomationFlow,
  emits: [automationFlowActivated],
  example: {
    params: { id: '{previewed_flow}' },
    body: { workspace: '{workspace}', preview_token: '{preview_token}', scope_acknowledged: true },
  },
  async handle({ target: flow, body, caller, tx, now, services, emit }) {
    const asked = { tx, caller, now, ai: services.settings.ai }
    const program = await requireActivable(asked, flow, body.ai_cost_acknowledged === true)
    const sent = { flow, token: body.preview_token, credential: caller.credential }
    const preview = await findPreview(tx, services.sealer, sent, now)
    const active = await activateFlow(asked, flow, program, body.mode ?? 'live')
    preview.use()
    const shown = showAutomationFlow(active)
    emit(automationFlowActivated, shown, showAutomationFlow(flow))
    return shown
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('automations'),
})
