/**
 * Events: written in the transaction of the change that they tell of, numbered without gap in commit order by the
 * organization's locked head, one a changed object a commit (decisions §10).
 */
import type { EventRow } from '../db/schema.ts'
import type { Heads, Tx } from '../db/store.ts'
import { newId } from '../lib/ids.ts'
import type { EventType } from './event.ts'
import type { PublicObject } from './noun.ts'

export interface EventActor {
  readonly type: 'api_key' | 'access_token' | 'user' | 'automation' | 'system'
  readonly id: string
}

/** What all events of one commit share. */
export interface Cause {
  readonly organization: string
  readonly actor: EventActor
  readonly credential: string | null
  readonly request: string | null
  readonly idempotencyKey: string | null
  /** The chain of automation flows that led here. */
  readonly causes: readonly string[] | null
}

interface Emitted {
  type: EventType
  readonly before: Readonly<Record<string, unknown>> | undefined
  after: Readonly<Record<string, unknown>> & PublicObject
  /** What differed, once it was asked for. */
  previous: Readonly<Record<string, unknown>> | null
  /** The object as JSON, once it is written. */
  text: string
  /** The place of its event in the first realm's log, once it has one. */
  sequence: number
}

/** Collects what a handler emits. */
export class Outbox {
  private readonly emitted = new Map<string, Emitted>()

  /** A second event about the same object joins the first: the earliest before, the latest after, the more specific name. */
  emit(type: EventType, after: object, before?: object): void {
    const object = after as Emitted['after']
    const earlier = this.emitted.get(object.id)
    if (earlier === undefined) {
      const told = { type, after: object, before: before as Emitted['before'] }
      this.emitted.set(object.id, { ...told, previous: null, text: '', sequence: 0 })
      return
    }
    earlier.after = object
    earlier.previous = null
    if (type.rank > earlier.type.rank) earlier.type = type
  }

  get size(): number {
    return this.emitted.size
  }

  /** The object that the operation is about: the first that was told of. */
  first(): Emitted | undefined {
    return this.emitted.values().next().value
  }

  /** Writes the events into every given realm's log. Returns the ids of the first realm's. */
  async write(tx: Tx, heads: Heads, realms: readonly number[], cause: Cause, now: number): Promise<string[]> {
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

interface Place {
  readonly realm: number
  readonly sequence: number
  readonly commit: string
  readonly index: number
  readonly size: number
}

function toRow(emitted: Emitted, cause: Cause, place: Place, now: number): EventRow {
  const { type, after } = emitted
  const previous = type.rank >= 5 ? null : previousOf(emitted)
  if (emitted.text === '') emitted.text = JSON.stringify(after)
  return {
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
}

/** What stands before the object's own text in an event's data. */
const data_start = '{"object":'

/** The first so many characters of the object in an event's data. */
export function objectText(data: string, chars: number): string {
  return data.slice(data_start.length, data_start.length + chars)
}

/** The fields that differ, as they were before; `null` where there is no before. */
export function previousOf(emitted: Emitted): Readonly<Record<string, unknown>> | null {
  const { before, after } = emitted
  if (before === undefined) return null
  emitted.previous ??= changed(before, after)
  return emitted.previous
}

/** The fields that differ, as they were before. */
export function changed(before: object, after: object): Record<string, unknown> {
  const previous: Record<string, unknown> = {}
  for (const field of Object.keys(before)) {
    const value = (before as Record<string, unknown>)[field]
    if (!same(value, (after as Record<string, unknown>)[field])) previous[field] = value
  }
  return previous
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true
  return typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b)
}
