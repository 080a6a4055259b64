import Type from 'typebox'
import { writeOperation } from '../../api/declare/operation.ts'
import { described, Nullable, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import { applyChange } from '../../api/write/change.ts'
import { automationFlowNoun, showAutomationFlow } from './automation_flow.ts'
import { AutomationVersion, rightsOf, showVersion } from './automation_versions.ts'
import { automationFlowVersionNamed } from './events.ts'
import { flowVersion, nameVersion, unknownVersion } from './shared/queries.ts'

/** Names an activated version of a flow, or removes its name. The name that it has already changes nothing. */
export const nameAutomationVersion = writeOperation({
  id: 'automation_flows.name_version',
  method: 'POST',
  path: '/v1/automation_flows/{id}/name_version',
  summary: 'Name a version of a flow',
  description: 'Runs and the steps of the flow do not change, so a version of an active flow may be named, too.',
  scope: 'automations:write',
  credits: 10,
  extension: true,
  target: automationFlowNoun,
  body: {
    version: described(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max }), 'Number of the version.'),
    name: described(Nullable(Title), 'New name of the version; null removes it.'),
  },
  returns: AutomationVersion,
  emits: [automationFlowVersionNamed],
  example: { params: { id: '{active_flow}' }, body: { version: 1, name: 'Before the summer' } },
  async handle({ target: flow, body, tx, now, note, emit }) {
    const row = await flowVersion(tx, flow.realm, flow.id, body.version)
    if (row === undefined) throw unknownVersion(flow, body.version)
    const held = await rightsOf(tx, row, now)
    if (row.name === body.name) return showVersion(row, held)
    const named = nameVersion(tx, row, body.name)
    const last_named_version = JSON.stringify({ version: row.version, name: body.name })
    const changed = applyChange(tx, 'automation_flows', flow, { last_named_version }, now) ?? flow
    emit(automationFlowVersionNamed, showAutomationFlow(changed), showAutomationFlow(flow))
    note({
      reason:
        named.name === null ? `Version ${row.version} has no name.` : `Version ${row.version} is “${named.name}”.`,
    })
    return showVersion(named, held)
  },
})
