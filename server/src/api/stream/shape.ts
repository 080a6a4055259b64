/** The public shape of an event: in lists, in the stream and in deliveries (contract/10#event-shape). */
import Type, { type Static } from 'typebox'
import type { EventRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import type { Mode } from '../declare/caller.ts'
import { readScopeOf } from '../declare/event.ts'
import type { Scope } from '../declare/scopes.ts'
import { Actor, described, Id, Nullable, Seconds } from '../declare/shapes.ts'
import { newest_version } from '../declare/version.ts'

export const Event = Type.Object({
  id: described(Id, 'Id of the event, the same in every delivery.'),
  object: described(Type.Literal('event'), 'Kind of object: always `event`.'),
  type: described(Type.String(), 'What happened, as `area.object.verb`.'),
  created: described(Seconds, 'When the change was committed, in Unix seconds.'),
  sequence: described(
    Type.Integer({ minimum: 1 }),
    'Number within the organization and mode: no gaps, in commit order.',
  ),
  api_version: described(Type.String(), 'Version that the event is shown in, a date.'),
  livemode: described(Type.Boolean(), 'True for live data, false for test data.'),
  organization: described(Id, 'Organization whose data changed.'),
  workspace: described(Nullable(Id), 'Workspace of the changed object; null for objects outside workspaces.'),
  actor: described(Actor, 'Who made the change.'),
  request: described(
    Nullable(
      Type.Object({
        id: described(Id, 'Id of the request, as in `X-Request-Id`.'),
        idempotency_key: described(Nullable(Type.String()), 'Idempotency-Key of the request; null if it had none.'),
      }),
    ),
    'Request that made the change; null for changes without one.',
  ),
  commit: described(
    Type.Object({
      id: described(Id, 'Id of the transaction.'),
      index: described(Type.Integer(), 'Position of the event in the transaction, from 0.'),
      size: described(Type.Integer(), 'Number of events of the transaction.'),
    }),
    'Transaction that the event belongs to.',
  ),
  data: described(
    Type.Object({
      object: described(
        Type.Record(Type.String(), Type.Unknown()),
        'The object as GET showed it after the commit; of a deleted one, its last state. Only `id` and `object` if the ' +
          'credential may not read it.',
      ),
      previous_attributes: described(
        Nullable(Type.Record(Type.String(), Type.Unknown())),
        'Earlier values of the changed fields; null unless the event is an update of an object that the credential may read.',
      ),
    }),
    'The changed object.',
  ),
})

export type Event = Static<typeof Event>

/** Who is shown an event. */
export interface Viewer {
  readonly mode: Mode
  /** Null: the server itself and endpoints from before endpoints had scopes, which may read every kind of object. */
  readonly scopes: ReadonlySet<Scope> | null
}

/** The event in the newest version, with the data that the viewer may read. Older versions: `Versions.downgradeEvent`. */
export function showEvent(row: EventRow, viewer: Viewer): Event {
  return {
    id: row.id,
    object: 'event',
    type: row.type,
    created: seconds(row.created),
    sequence: row.sequence,
    api_version: newest_version,
    livemode: viewer.mode === 'live',
    organization: row.organization,
    workspace: row.workspace,
    actor: { type: row.actor_type, id: row.actor_id },
    request: row.request === null ? null : { id: row.request, idempotency_key: row.idempotency_key },
    commit: { id: row.commit_id, index: row.commit_index, size: row.commit_size },
    data: mayRead(viewer, row.object) ? (JSON.parse(row.data) as Event['data']) : hiddenData(row),
  }
}

/** An event about an object is as secret as the object (contract/10#hidden-objects). */
function mayRead({ scopes }: Viewer, object: string): boolean {
  if (scopes === null) return true
  const scope = readScopeOf(object)
  return scope !== undefined && scopes.has(scope)
}

function hiddenData({ object, object_id: id }: EventRow): Event['data'] {
  return { object: { id, object }, previous_attributes: null }
}
