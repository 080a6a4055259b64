/**
 * The automation flow: a graph that is drafted, previewed, activated and paused (contract/16#flow). Runs update
 * `last_run_at` and the failure count without raising the revision or emitting an event.
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import {
  Actor,
  described,
  Flag,
  head,
  Id,
  Nullable,
  OneOf,
  Revision,
  Seconds,
  shown_as,
  Title,
} from '../../api/declare/shapes.ts'
import { GraphSchema } from '../../automations/schema.ts'
import type { AutomationFlowRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { Notes } from './notes.ts'

export const flow_modes = ['live', 'shadow'] as const

/** A graph in a request. The schema requires only an object; graph-check.ts reports all faults inside it at once. */
export const GraphSent = described(
  Type.Unsafe<Record<string, unknown>>({ type: 'object', [shown_as]: GraphSchema } as object),
  'Nodes, edges and settings of the flow. Mistakes are reported all at once, each with its path.',
)

/** Why the authority of a flow no longer suffices. */
const authority_ends = [
  ...(['credential_deleted', 'credential_expired', 'grant_ended', 'member_inactive', 'guest', 'no_plan'] as const),
  'scopes_missing',
] as const

const of_authority = {
  acts_for: described(Actor, 'Whose rights the runs have: a person, or the organization.'),
  status: described(
    OneOf('valid', 'ended'),
    'Whether these rights still suffice for `required_scopes` of that version.',
  ),
  reason: described(
    Nullable(OneOf(...authority_ends)),
    'Why they no longer suffice: the credential was deleted or has expired, the access of the application has ended, the ' +
      'person is no longer an active member or has become a guest, the organization has no plan, or scopes are missing; ' +
      'null while they do.',
  ),
  renewed_at: described(
    Nullable(Seconds),
    'When they were renewed last, in Unix seconds; null if they are those of the activation.',
  ),
}

/** Of one version, as its rights are at the moment. */
export const VersionAuthority = Type.Object(of_authority)

const Authority = Type.Object({
  acts_for: of_authority.acts_for,
  status: of_authority.status,
  reason: of_authority.reason,
  ended_at: described(Nullable(Seconds), 'When that was found, in Unix seconds; null while they suffice.'),
  renewed_at: of_authority.renewed_at,
})

const NamedVersion = Type.Object({
  version: described(Type.Integer({ minimum: 1 }), 'Number of the version.'),
  name: described(Nullable(Title), 'Its name since then; null if it was removed.'),
})

export const AutomationFlow = Type.Object({
  ...head('automation_flow'),
  workspace: described(Id, 'Workspace of the flow.'),
  project: described(Nullable(Id), 'Limits the flow to events of tasks in this project; null for the whole workspace.'),
  name: described(Title, 'Name of the flow.'),
  graph: described(GraphSchema, 'Nodes, edges and settings of the flow.'),
  graph_hash: described(Type.String(), 'SHA-256 of the graph in canonical form; a preview token holds for one hash.'),
  status: described(
    OneOf('draft', 'active', 'paused'),
    'Only an `active` flow starts runs; a changed flow becomes a `draft`.',
  ),
  mode: described(OneOf(...flow_modes), '`live` carries steps out; `shadow` only records what they would change.'),
  version: Type.Integer({
    minimum: 0,
    description: 'Number of activations so far; a run keeps to the version that started it.',
  }),
  required_scopes: described(
    Type.Array(Type.String()),
    'Scopes that the steps need; the activating credential must hold them.',
  ),
  uses_ai: described(Flag, 'Whether the graph has AI steps.'),
  activated_at: described(
    Nullable(Seconds),
    'When the flow was last activated, in Unix seconds; null before the first activation.',
  ),
  activated_by: described(Nullable(Actor), 'Who activated the flow last; null before the first activation.'),
  authority: described(
    Nullable(Authority),
    'Whose rights the runs of the newest version have; null before the first activation. It is checked while the flow is active.',
  ),
  paused_at: described(Nullable(Seconds), 'When the flow was paused, in Unix seconds; null if it is not paused.'),
  pause_reason: described(Nullable(Type.String()), 'Why the flow was paused; null if no reason was given.'),
  pause_origin: described(
    Nullable(OneOf('user', 'system')),
    'Whether a user or the system paused the flow; null if it is not paused.',
  ),
  last_run_at: described(Nullable(Seconds), 'When the newest run started, in Unix seconds; null before the first run.'),
  last_named_version: described(
    Nullable(NamedVersion),
    'Version that was named, or lost its name, last; null before the first name.',
  ),
  notes: described(Notes, 'Notes on the canvas for the readers of the flow. They are not part of the graph.'),
  revision: Revision,
})

export type AutomationFlow = Static<typeof AutomationFlow>

const whole = (ms: number | null): number | null => (ms === null ? null : seconds(ms))

/** The columns of a flow whose newest version has the rights of its activation, as far as is known. */
export const authority_of_activation = {
  authority_type: null,
  authority_id: null,
  authority_renewed_at: null,
  authority_ended_at: null,
  authority_reason: null,
}

function showAuthority(row: AutomationFlowRow): Static<typeof Authority> | null {
  const type = row.authority_type ?? row.activated_by_type
  const id = row.authority_id ?? row.activated_by_id
  if (type === null || id === null) return null
  return {
    acts_for: { type, id },
    status: row.authority_reason === null ? 'valid' : 'ended',
    reason: row.authority_reason as Static<typeof Authority>['reason'],
    ended_at: whole(row.authority_ended_at),
    renewed_at: whole(row.authority_renewed_at),
  }
}

export function showAutomationFlow(row: AutomationFlowRow): AutomationFlow {
  return {
    id: row.id,
    object: 'automation_flow',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    name: row.name,
    graph: JSON.parse(row.graph) as AutomationFlow['graph'],
    graph_hash: row.graph_hash,
    status: row.status as AutomationFlow['status'],
    mode: row.mode as AutomationFlow['mode'],
    version: row.version,
    required_scopes: JSON.parse(row.required_scopes) as string[],
    uses_ai: row.uses_ai === 1,
    activated_at: whole(row.activated_at),
    activated_by:
      row.activated_by_type === null || row.activated_by_id === null
        ? null
        : { type: row.activated_by_type, id: row.activated_by_id },
    authority: showAuthority(row),
    paused_at: whole(row.paused_at),
    pause_reason: row.pause_reason,
    pause_origin: row.pause_origin as AutomationFlow['pause_origin'],
    last_run_at: whole(row.last_run_at),
    last_named_version:
      row.last_named_version === null ? null : (JSON.parse(row.last_named_version) as Static<typeof NamedVersion>),
    notes: JSON.parse(row.notes) as Notes,
    revision: row.revision,
  }
}

export const automationFlowNoun = noun({
  object: 'automation_flow',
  prefix: 'flow',
  table: 'automation_flows',
  schema: AutomationFlow,
  readScope: 'automations:read',
  show: showAutomationFlow,
})
