/** The activated versions of a flow (contract/16#versions). */
import Type, { type Static } from 'typebox'
import { Actor, described, Id, OneOf, Seconds } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { GraphSchema } from '../../automations/schema.ts'
import type { AutomationFlowRow, AutomationVersionRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { flow_modes } from './automation_flow.ts'

const Version = Type.Object({
  version: described(Type.Integer({ minimum: 1 }), 'Number of the activation that created it.'),
  activated_at: described(Seconds, 'When it was activated, in Unix seconds.'),
  activated_by: described(Actor, 'Who activated it.'),
  mode: described(OneOf(...flow_modes), 'Mode in which it was activated.'),
  graph_hash: described(Type.String(), 'SHA-256 of the graph in canonical form.'),
  graph: described(GraphSchema, 'Nodes, edges and settings of the version. They never change.'),
})

export const AutomationVersions = Type.Object({
  object: described(Type.Literal('automation_versions'), 'Kind of object: always `automation_versions`.'),
  automation_flow: described(Id, 'Flow whose versions these are.'),
  versions: Type.Array(Version, {
    maxItems: automation_limits.automation_versions_shown_max,
    description: 'The latest versions, newest first.',
  }),
  has_more: described(Type.Boolean(), 'Whether there are older versions.'),
})

export type AutomationVersions = Static<typeof AutomationVersions>

export function showVersions(
  { id }: Pick<AutomationFlowRow, 'id'>,
  rows: readonly AutomationVersionRow[],
): AutomationVersions {
  const { automation_versions_shown_max: most } = automation_limits
  return {
    object: 'automation_versions',
    automation_flow: id,
    versions: rows.slice(0, most).map((row) => ({
      version: row.version,
      activated_at: seconds(row.created),
      activated_by: { type: row.activated_by_type, id: row.activated_by_id } as Static<typeof Actor>,
      mode: row.mode as (typeof flow_modes)[number],
      graph_hash: row.graph_hash,
      graph: JSON.parse(row.graph) as AutomationVersions['versions'][number]['graph'],
    })),
    has_more: rows.length > most,
  }
}
