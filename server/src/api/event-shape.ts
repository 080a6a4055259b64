/** An event as everyone sees it: in lists, in the stream, in deliveries (decisions §10). */
import Type, { type Static } from 'typebox'
import type { EventRow } from '../db/schema.ts'
import { seconds } from '../lib/clock.ts'
import type { Mode } from './caller.ts'
import { Actor, Id, Nullable, Seconds } from './shapes.ts'
import { newest_version } from './version.ts'

export const Event = Type.Object({
  id: Id,
  object: Type.Literal('event'),
  type: Type.String(),
  created: Seconds,
  sequence: Type.Integer({ minimum: 1 }),
  api_version: Type.String(),
  livemode: Type.Boolean(),
  organization: Id,
  workspace: Nullable(Id),
  actor: Actor,
  request: Nullable(Type.Object({ id: Id, idempotency_key: Nullable(Type.String()) })),
  commit: Type.Object({ id: Id, index: Type.Integer(), size: Type.Integer() }),
  data: Type.Object({
    object: Type.Record(Type.String(), Type.Unknown()),
    previous_attributes: Nullable(Type.Record(Type.String(), Type.Unknown())),
  }),
})

export type Event = Static<typeof Event>

/** The event in the newest version; older ones come from `Versions.downgradeEvent`. */
export function showEvent(row: EventRow, mode: Mode): Event {
  return {
    id: row.id,
    object: 'event',
    type: row.type,
    created: seconds(row.created),
    sequence: row.sequence,
    api_version: newest_version,
    livemode: mode === 'live',
    organization: row.organization,
    workspace: row.workspace,
    actor: { type: row.actor_type, id: row.actor_id },
    request: row.request === null ? null : { id: row.request, idempotency_key: row.idempotency_key },
    commit: { id: row.commit_id, index: row.commit_index, size: row.commit_size },
    data: JSON.parse(row.data) as Event['data'],
  }
}
