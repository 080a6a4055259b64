/**
 * The live end of the event logs: reads each realm's new events once and hands them to everyone in this process who
 * listens. The log is the truth; a wake-up only shortens the wait. A listener is called in sequence order, without gap
 * or double, from the position that it names.
 */
import { query } from '../db/query.ts'
import type { EventRow } from '../db/schema.ts'
import type { Scope, Store } from '../db/store.ts'
import { limits } from '../lib/limits.ts'
import type { Log } from '../lib/log.ts'

export const eventsBehind = query((db, p) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence')
    .limit(p('count')),
)

export const lastSequence = query((db, p) =>
  db.selectFrom('realms').select('event_sequence').where('realm', '=', p('realm')),
)

export type Deliver = (rows: readonly EventRow[]) => void

interface Listener {
  /** The last sequence handed over. */
  position: number
  readonly deliver: Deliver
}

interface Followed {
  readonly realm: number
  readonly scope: Scope
  readonly live: Set<Listener>
  position: number
  reading: Promise<void> | null
  again: boolean
}

export class EventFeed {
  private readonly store: Store
  private readonly log: Log
  private readonly followed = new Map<number, Followed>()
  private readonly timer: NodeJS.Timeout

  constructor(store: Store, log: Log) {
    this.store = store
    this.log = log
    // Commits of other processes are found by looking.
    this.timer = setInterval(() => {
      for (const realm of this.followed.keys()) this.wake(realm)
    }, limits.event_poll_ms)
    this.timer.unref()
  }

  /** Says that a realm's log may have grown. */
  wake(realm: number): void {
    const followed = this.followed.get(realm)
    if (followed === undefined) return
    if (followed.reading !== null) {
      followed.again = true
      return
    }
    followed.reading = this.advance(followed)
      .catch((error) => this.log.warn('the event log could not be read', { realm, error: String(error) }))
      .finally(() => {
        followed.reading = null
        if (!followed.again) return
        followed.again = false
        this.wake(realm)
      })
  }

  private async advance(followed: Followed): Promise<void> {
    const reader = this.store.reader(followed.scope)
    while (followed.live.size > 0) {
      const position = followed.position
      const rows = await reader.all(eventsBehind, {
        realm: followed.realm,
        sequence: position,
        count: limits.event_batch_max,
      })
      // Who joined meanwhile stands further back: what lies between would be passed over.
      if (followed.position < position) continue
      const last = rows.at(-1)
      if (last === undefined) return
      followed.position = last.sequence
      for (const listener of [...followed.live]) hand(listener, rows)
    }
  }

  /**
   * Hands over all events of a realm behind `after`, the retained first, then the live ones, until the returned function
   * is called. `ready` may hold the reading back while the listener is full.
   */
  async listen(
    place: { readonly realm: number; readonly scope: Scope; readonly after: number },
    deliver: Deliver,
    ready: () => Promise<boolean>,
  ): Promise<() => void> {
    const listener: Listener = { position: place.after, deliver }
    const reader = this.store.reader(place.scope)
    for (;;) {
      const rows = await reader.all(eventsBehind, {
        realm: place.realm,
        sequence: listener.position,
        count: limits.event_batch_max,
      })
      hand(listener, rows)
      if (!(await ready())) return () => {}
      if (rows.length < limits.event_batch_max) return this.attach(place, listener)
    }
  }

  /** From here on the listener is fed with the others; the feed reads again from wherever the listener stands. */
  private attach(place: { readonly realm: number; readonly scope: Scope }, listener: Listener): () => void {
    let followed = this.followed.get(place.realm)
    if (followed === undefined) {
      followed = {
        realm: place.realm,
        scope: place.scope,
        live: new Set(),
        position: listener.position,
        reading: null,
        again: false,
      }
      this.followed.set(place.realm, followed)
    }
    const joined = followed
    joined.live.add(listener)
    // What others have had already, this one may lack: the position goes back, and `hand` skips what was had.
    joined.position = Math.min(joined.position, listener.position)
    this.wake(place.realm)
    return () => {
      joined.live.delete(listener)
      if (joined.live.size === 0) this.followed.delete(place.realm)
    }
  }

  close(): void {
    clearInterval(this.timer)
    this.followed.clear()
  }
}

function hand(listener: Listener, rows: readonly EventRow[]): void {
  const fresh = rows.filter((row) => row.sequence > listener.position)
  const last = fresh.at(-1)
  if (last === undefined) return
  listener.position = last.sequence
  listener.deliver(fresh)
}
