/** The activated versions of a flow (contract/16#versions). */
import Type, { type Static } from 'typebox'
import { Actor, described, Id, Nullable, OneOf, Seconds, Title } from '../../api/declare/shapes.ts'
import { automation_limits } from '../../automations/limits.ts'
import { GraphSchema } from '../../automations/schema.ts'
import type { AutomationFlowRow, AutomationVersionRow } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { endOfAuthority, type Holder, holderOf } from '../automation_runs/shared/authority.ts'
import { flow_modes, VersionAuthority } from './automation_flow.ts'

const fields = {
  version: described(Type.Integer({ minimum: 1 }), 'Number of the activation that created it.'),
  name: described(Nullable(Title), 'What people call the version; null without a name.'),
  activated_at: described(Seconds, 'When it was activated, in Unix seconds.'),
  activated_by: described(Actor, 'Who activated it.'),
  mode: described(OneOf(...flow_modes), 'Mode in which it was activated.'),
  graph_hash: described(Type.String(), 'SHA-256 of the graph in canonical form.'),
  graph: described(GraphSchema, 'Nodes, edges and settings of the version. They never change.'),
  required_scopes: described(Type.Array(Type.String()), 'Scopes that the steps of the version need.'),
  authority: described(VersionAuthority, 'Whose rights the runs of the version have, and whether they still suffice.'),
}

export const AutomationVersion = Type.Object({
  object: described(Type.Literal('automation_version'), 'Kind of object: always `automation_version`.'),
  automation_flow: described(Id, 'Flow whose version this is.'),
  ...fields,
})

export type AutomationVersion = Static<typeof AutomationVersion>

export const AutomationVersions = Type.Object({
  object: described(Type.Literal('automation_versions'), 'Kind of object: always `automation_versions`.'),
  automation_flow: described(Id, 'Flow whose versions these are.'),
  versions: Type.Array(Type.Object(fields), {
    maxItems: automation_limits.automation_versions_shown_max,
    description: 'The latest versions, newest first.',
  }),
  has_more: described(Type.Boolean(), 'Whether there are older versions.'),
})

export type AutomationVersions = Static<typeof AutomationVersions>

export function showVersions(
  { id }: Pick<AutomationFlowRow, 'id'>,
  rows: readonly AutomationVersionRow[],
  authorities: readonly HeldRights[],
): AutomationVersions {
  const { automation_versions_shown_max: most } = automation_limits
  return {
    object: 'automation_versions',
    automation_flow: id,
    versions: rows.slice(0, most).map((row, i) => showFields(row, authorities[i] as HeldRights)),
    has_more: rows.length > most,
  }
}

export function showVersion(row: AutomationVersionRow, held: HeldRights): AutomationVersion {
  return { object: 'automation_version', automation_flow: row.flow, ...showFields(row, held) }
}

/** Whose rights a version has, and why they no longer suffice. */
export interface HeldRights {
  readonly holder: Holder
  readonly reason: Static<typeof VersionAuthority>['reason']
}

/** Whose rights a version has at `now`, in milliseconds. */
export async function rightsOf(
  reader: Reader,
  { realm, flow, version }: Pick<AutomationVersionRow, 'realm' | 'flow' | 'version'>,
  now: number,
): Promise<HeldRights> {
  const holder = await holderOf(reader, { realm, flow, version })
  return { holder, reason: await endOfAuthority(reader, holder, now) }
}

function showFields(
  row: AutomationVersionRow,
  { holder, reason }: HeldRights,
): Omit<AutomationVersion, 'object' | 'automation_flow'> {
  return {
    version: row.version,
    name: row.name,
    activated_at: seconds(row.created),
    activated_by: { type: row.activated_by_type, id: row.activated_by_id } as Static<typeof Actor>,
    mode: row.mode as (typeof flow_modes)[number],
    graph_hash: row.graph_hash,
    graph: JSON.parse(row.graph) as AutomationVersion['graph'],
    required_scopes: [...holder.scopes],
    authority: {
      acts_for: { type: holder.type, id: holder.id } as Static<typeof Actor>,
      status: reason === null ? 'valid' : 'ended',
      reason,
      renewed_at: row.authority_renewed_at === null ? null : seconds(row.authority_renewed_at),
    },
  }
}
