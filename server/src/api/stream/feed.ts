/**
 * Reads each realm's new events once and delivers them to all listeners of this process. The log is the only source; a
 * wake-up shortens the wait for the next poll. Invariant: a listener gets every event after its position, in sequence
 * order, without gaps or duplicates. After a failover to an asynchronous standby the newest events may be missing and
 * their sequences used again, so a position includes the event's id: when that event is missing, its listeners end.
 */
import type { EventRow } from '../../db/schema.ts'
import type { Scope, Store } from '../../db/store.ts'
import type { Clock } from '../../lib/clock.ts'
import { idTime } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { limits } from '../limits.ts'
import { endOf, eventsBehind, isLost, type LogPosition, recordLoss } from './log.ts'

export type Deliver = (rows: readonly EventRow[]) => void

export interface ListenedRealm {
  readonly realm: number
  readonly scope: Scope
  readonly after: LogPosition
}

interface Listener {
  /** The last event that was delivered. */
  position: LogPosition
  readonly deliver: Deliver
  /** Called once if the event of the position is missing; nothing is delivered afterwards. */
  readonly lose: () => void
}

interface FollowedRealm {
  readonly realm: number
  readonly scope: Scope
  readonly live: Set<Listener>
  position: LogPosition
  reading: Promise<void> | null
  again: boolean
}

export class EventFeed {
  private readonly store: Store
  private readonly log: Log
  private readonly clock: Clock
  /** By realm, the newest time of events that were found missing and that the database does not have yet. */
  private readonly losses = new Map<number, number>()
  private recording: Promise<void> | null = null
  private readonly followed = new Map<number, FollowedRealm>()
  private readonly timer: NodeJS.Timeout

  constructor(store: Store, log: Log, clock: Clock) {
    this.store = store
    this.log = log
    this.clock = clock
    // Polling finds the commits of other processes.
    this.timer = setInterval(() => {
      for (const realm of this.followed.keys()) this.wake(realm)
      this.recordLosses()
    }, limits.event_poll_ms)
    this.timer.unref()
  }

  /** Reads a realm's log soon: it may have grown. */
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

  private async advance(followed: FollowedRealm): Promise<void> {
    while (followed.live.size > 0) {
      const { position } = followed
      const rows = await this.read(followed, position)
      // A listener that joined during the read is further back; delivering these rows would skip the ones between.
      if (followed.position.sequence < position.sequence) continue
      if (rows === null) return this.end(followed)
      const last = rows.at(-1)
      if (last === undefined) return
      followed.position = last
      for (const listener of [...followed.live]) deliverFresh(listener, rows)
    }
  }

  /** The events after a position; null if the position's event is missing although it is retained. */
  private async read(
    { realm, scope }: Pick<FollowedRealm, 'realm' | 'scope'>,
    position: LogPosition,
  ): Promise<EventRow[] | null> {
    const now = this.clock.now()
    const reader = this.store.reader(scope)
    const rows = await eventsBehind(reader, realm, position, limits.event_batch_max, now)
    if (rows === null) {
      const { sequence, id } = position
      this.losses.set(realm, Math.max(now, id === null ? 0 : idTime(id)))
      this.recordLosses()
      const message = 'the newest events are missing after a failover or restore; the streams of the realm end'
      this.log.error(message, { realm, event: id, sequence })
    }
    return rows
  }

  /** Writes what was lost, for other processes and later ones. What cannot be written is tried again with the next poll. */
  private recordLosses(): void {
    if (this.losses.size === 0 || this.recording !== null) return
    const losses = [...this.losses]
    const write = this.store.write('system', async (tx) => {
      for (const [realm, until] of losses) recordLoss(tx, realm, until)
    })
    this.recording = write
      .then(
        () => {
          for (const [realm, until] of losses) if (this.losses.get(realm) === until) this.losses.delete(realm)
        },
        (error) => this.log.warn('lost events could not be recorded', { error: String(error) }),
      )
      .finally(() => {
        this.recording = null
      })
  }

  private end(followed: FollowedRealm): void {
    if (this.followed.get(followed.realm) === followed) this.followed.delete(followed.realm)
    for (const listener of [...followed.live]) listener.lose()
    followed.live.clear()
  }

  /** Whether an event of this realm that is missing may have been lost by a failover, as any process has noticed. */
  async hasLost(realm: number, scope: Scope, id: string): Promise<boolean> {
    if (idTime(id) <= (this.losses.get(realm) ?? Number.NEGATIVE_INFINITY)) return true
    return await isLost(this.store.reader(scope), realm, id)
  }

  /** The present end of a realm's log. */
  async head(realm: number, scope: Scope): Promise<LogPosition> {
    return await endOf(this.store.reader(scope), realm)
  }

  /**
   * Delivers all events of a realm after `after`, first from the log, then live, until the returned function is called.
   * `ready` delays the next read while the listener cannot take more. `lose` is called if the event that was delivered
   * last is missing from the log.
   */
  async listen(
    place: ListenedRealm,
    deliver: Deliver,
    ready: () => Promise<boolean>,
    lose: () => void = () => {},
  ): Promise<() => void> {
    const listener: Listener = { position: place.after, deliver, lose }
    for (;;) {
      const rows = await this.read(place, listener.position)
      if (rows === null) {
        lose()
        return () => {}
      }
      deliverFresh(listener, rows)
      if (!(await ready())) return () => {}
      if (rows.length < limits.event_batch_max) return this.attach(place, listener)
    }
  }

  /** Adds the listener to the live ones. The feed continues from the listener's position. */
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
    // Rereads what this listener lacks; `deliverFresh` skips the rows that the others already have.
    if (listener.position.sequence < joined.position.sequence) joined.position = listener.position
    this.wake(place.realm)
    return () => {
      joined.live.delete(listener)
      if (joined.live.size === 0 && this.followed.get(place.realm) === joined) this.followed.delete(place.realm)
    }
  }

  close(): void {
    clearInterval(this.timer)
    this.followed.clear()
  }
}

function deliverFresh(listener: Listener, rows: readonly EventRow[]): void {
  const fresh = rows.filter((row) => row.sequence > listener.position.sequence)
  const last = fresh.at(-1)
  if (last === undefined) return
  listener.position = last
  listener.deliver(fresh)
}
