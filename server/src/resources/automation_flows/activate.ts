import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Id, OneOf } from '../../api/declare/shapes.ts'
import { activateFlow, requireActivable } from './activate-flow.ts'
import { AutomationFlow, automationFlowNoun, flow_modes, showAutomationFlow } from './automation_flow.ts'
import { automationFlowActivated } from './events.ts'
import { findPreview } from './preview-tokens.ts'

/**
 * Activates a draft or paused flow after a preview of its present graph. Runs stay on the version that started them.
 */
export const activateAutomationFlow = writeOperation({
  id: 'automation_flows.activate',
  method: 'POST',
  path: '/v1/automation_flows/{id}/activate',
  summary: 'Activate an automation flow',
  description:
    'Runs have the required scopes while the activating credential has them. In `shadow` mode, runs record what ' +
    'they would change and change nothing.',
  scope: 'automations:write',
  credits: 10,
  target: automationFlowNoun,
  body: {
    workspace: described(Id, 'Workspace of the flow.'),
    preview_token: described(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Token of a preview of exactly this graph; valid once, for 15 minutes, for the credential that previewed.',
    ),
    scope_acknowledged: described(
      Type.Literal(true),
      'Confirms that the flow acts with the scopes in `required_scopes`.',
    ),
    ai_cost_acknowledged: described(
      Type.Optional(Type.Boolean()),
      'Confirms `ai_cost` of the preview; required if the graph has AI steps.',
    ),
    mode: described(
      Type.Optional(OneOf(...flow_modes)),
      '`live` carries the steps out; `shadow` only records what they would change. `live` by default.',
    ),
  },
  returns: AutomationFlow,
  emits: [automationFlowActivated],
  example: {
    params: { id: '{previewed_flow}' },
    body: { workspace: '{workspace}', preview_token: '{preview_token}', scope_acknowledged: true },
  },
  async handle({ target: flow, body, caller, tx, now, sealer, ai, emit }) {
    const activation = { tx, caller, now, ai, sealer }
    const program = await requireActivable(activation, flow, body.ai_cost_acknowledged === true)
    const sent = { flow, token: body.preview_token, credential: caller.credential }
    const preview = await findPreview(tx, sealer, sent, now)
    const active = await activateFlow(activation, flow, program, body.mode ?? 'live')
    preview.use()
    const shown = showAutomationFlow(active)
    emit(automationFlowActivated, shown, showAutomationFlow(flow))
    return shown
  },
  afterCommit: ({ wakeUps }) => wakeUps.call('automations'),
})
