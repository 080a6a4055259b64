/** How a preview assumes that approvals end (contract/16#preview). */
import Type, { type Static } from 'typebox'
import { refuse } from '../../../api/declare/errors.ts'
import { OneOf } from '../../../api/declare/shapes.ts'
import { automation_limits } from '../../../automations/limits.ts'
import { word_form } from '../../../automations/schema-values.ts'
import { approvalPorts } from '../../../automations/sketch.ts'
import type { AutomationFlowRow } from '../../../db/schema.ts'
import type { Decisions } from '../../automation_runs/shared/rehearse.ts'

export const SampleDecisions = Type.Record(
  Type.String({ pattern: word_form }),
  OneOf('approved', 'rejected', 'timed_out'),
  { maxProperties: automation_limits.automation_nodes_max },
)

/** The decisions by node. Refuses the id of another node, and `timed_out` for an approval without a timeout. */
export function decisionsOf(sent: Static<typeof SampleDecisions>, { graph }: AutomationFlowRow): Decisions {
  const { nodes } = JSON.parse(graph) as { nodes: { id: string; type: string; config: Record<string, unknown> }[] }
  for (const [id, port] of Object.entries(sent)) {
    const param = `decisions.${id}`
    const node = nodes.find((each) => each.id === id && each.type === 'approval.wait')
    if (node === undefined) {
      throw refuse('invalid_request_body', { param, message: `${param} names no approval.wait of the flow.` })
    }
    const ports = approvalPorts(node.config)
    if (ports.includes(port)) continue
    const message = `${param} cannot be "${port}". Use one of ${ports.join(', ')}: the step has no timeout_seconds.`
    throw refuse('invalid_request_body', { param, message })
  }
  return new Map(Object.entries(sent))
}
