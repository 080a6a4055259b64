import { readOperation } from '../../api/declare/operation.ts'
import { automation_limits } from '../../automations/limits.ts'
import { automationFlowNoun } from './automation_flow.ts'
import { AutomationVersions, rightsOf, showVersions } from './automation_versions.ts'
import { latestVersions } from './shared/queries.ts'

/**
 * Shows the latest 20 activated versions of a flow with their graphs, newest first, with the rights that
 * their runs have. A flow that was never activated has none. To
 * go back to a version, update the flow with its graph.
 */
export const showAutomationVersions = readOperation({
  id: 'automation_flows.versions',
  method: 'GET',
  path: '/v1/automation_flows/{id}/versions',
  summary: 'Show the versions of a flow',
  scope: 'automations:read',
  credits: 5,
  extension: true,
  target: automationFlowNoun,
  returns: AutomationVersions,
  example: { params: { id: '{active_flow}' } },
  async handle({ target: flow, reader, now }) {
    const { automation_versions_shown_max: most } = automation_limits
    const rows = await latestVersions(reader, flow, most + 1)
    const held = rows.slice(0, most).map((row) => rightsOf(reader, row, now))
    return showVersions(flow, rows, await Promise.all(held))
  },
})
