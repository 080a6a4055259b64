/**
 * Collects the events of a transaction and writes them into the realm's log, numbered without gaps in commit order under
 * the organization's locked head (contract/10#sequence). Invariant: at most one event per changed object per commit.
 */
import { crc32 } from 'node:zlib'
import type { EventRow } from '../../db/schema.ts'
import type { Heads, Tx } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'
import type { EventType } from '../declare/event.ts'
import type { PublicObject } from '../declare/noun.ts'

export interface EventActor {
  readonly type: 'api_key' | 'access_token' | 'user' | 'automation' | 'board_link' | 'system'
  readonly id: string
}

/** What all events of a commit have in common. */
export interface Cause {
  readonly organization: string
  readonly actor: EventActor
  readonly credential: string | null
  readonly request: string | null
  readonly idempotencyKey: string | null
  /** The automation flows whose runs led to this change, first to last. */
  readonly causes: readonly string[] | null
}

interface PendingEvent {
  type: EventType
  readonly before: Readonly<Record<string, unknown>> | undefined
  after: Readonly<Record<string, unknown>> & PublicObject
  /** Previous values of the changed fields; computed on first use. */
  previous: Readonly<Record<string, unknown>> | null
  /** The object as JSON; empty until the event is written. */
  text: string
  /** Sequence of the event in the first realm's log; 0 until it is written. */
  sequence: number
}

/** The events that a handler has emitted and that are not written yet. */
export class Outbox {
  private readonly emitted = new Map<string, PendingEvent>()

  /** Merges a second event about the same object: the earliest `before`, the latest `after`, the more specific type. */
  emit(type: EventType, after: object, before?: object): void {
    const object = after as PendingEvent['after']
    const earlier = this.emitted.get(object.id)
    if (earlier === undefined) {
      const event = { type, after: object, before: before as PendingEvent['before'] }
      this.emitted.set(object.id, { ...event, previous: null, text: '', sequence: 0 })
      return
    }
    earlier.after = object
    earlier.previous = null
    if (type.rank > earlier.type.rank) earlier.type = type
  }

  get size(): number {
    return this.emitted.size
  }

  /** The event about the operation's own object: the first that was emitted. */
  first(): PendingEvent | undefined {
    return this.emitted.values().next().value
  }

  /** The event about an object. */
  about(id: string): PendingEvent | undefined {
    return this.emitted.get(id)
  }

  /** Writes the events into the log of each realm. Returns the event ids of the first realm. */
  write(tx: Tx, heads: Heads, realms: readonly number[], cause: Cause, now: number): string[] {
    const written: string[] = []
    const size = this.emitted.size
    for (const realm of realms) {
      const commit = newId('txn', now)
      let sequence = heads.events.get(realm) ?? 0
      let index = 0
      for (const emitted of this.emitted.values()) {
        const row = toRow(emitted, cause, { realm, sequence: ++sequence, commit, index: index++, size }, now)
        tx.insert('events', row)
        if (realm !== realms[0]) continue
        written.push(row.id)
        emitted.sequence = sequence
      }
      heads.events.set(realm, sequence)
    }
    heads.changed = true
    return written
  }
}

interface LogPosition {
  readonly realm: number
  readonly sequence: number
  readonly commit: string
  readonly index: number
  readonly size: number
}

function toRow(emitted: PendingEvent, cause: Cause, place: LogPosition, now: number): EventRow {
  const { type, after } = emitted
  const previous = type.rank >= 5 ? null : previousOf(emitted)
  if (emitted.text === '') emitted.text = JSON.stringify(after)
  const row = {
    realm: place.realm,
    sequence: place.sequence,
    id: newId('evt', now),
    type: type.type,
    created: now,
    organization: cause.organization,
    workspace: after.object === 'workspace' ? after.id : ((after.workspace as string | null | undefined) ?? null),
    object: after.object,
    object_id: after.id,
    actor_type: cause.actor.type,
    actor_id: cause.actor.id,
    credential: cause.credential,
    request: cause.request,
    idempotency_key: cause.idempotencyKey,
    commit_id: place.commit,
    commit_index: place.index,
    commit_size: place.size,
    causes: cause.causes === null ? null : JSON.stringify(cause.causes),
    data: `${data_start}${emitted.text},"previous_attributes":${JSON.stringify(previous)}}`,
  }
  return { ...row, checksum: eventChecksum(row) }
}

/** Reveals a changed bit of a stored event: the CRC-32 of its columns, in the order of the table. */
export function eventChecksum(row: Omit<EventRow, 'checksum'>): number {
  const columns = [
    row.realm,
    row.sequence,
    row.id,
    row.type,
    row.created,
    row.organization,
    row.workspace,
    row.object,
    row.object_id,
    row.actor_type,
    row.actor_id,
    row.credential,
    row.request,
    row.idempotency_key,
    row.commit_id,
    row.commit_index,
    row.commit_size,
    row.causes,
    row.data,
  ]
  return crc32(columns.join('\n'))
}

/** The text before the object in an event's `data`. */
const data_start = '{"object":'

/** The first `chars` characters of the object in an event's `data`. */
export function objectText(data: string, chars: number): string {
  return data.slice(data_start.length, data_start.length + chars)
}

/** Previous values of the changed fields; null for a new object. */
export function previousOf(emitted: PendingEvent): Readonly<Record<string, unknown>> | null {
  const { before, after } = emitted
  if (before === undefined) return null
  emitted.previous ??= changed(before, after)
  return emitted.previous
}

/** The values in `before` of the fields that differ in `after`. */
export function changed(before: object, after: object): Record<string, unknown> {
  const previous: Record<string, unknown> = {}
  for (const field of Object.keys(before)) {
    const value = (before as Record<string, unknown>)[field]
    if (!isEqual(value, (after as Record<string, unknown>)[field])) previous[field] = value
  }
  return previous
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}
