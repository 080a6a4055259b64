import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import type { AnyQuery } from '../../db/query.ts'
import type { Reader, Store } from '../../db/store.ts'
import { EventFeed } from './feed.ts'

/** A store whose reads return their rows only when the test releases them. */
class LateReads {
  private readonly waiting: (() => void)[] = []
  private readHeld: () => void = () => {}
  private holding = false
  private running = 0

  /** The store with delayed reads; everything else is unchanged. */
  of(store: Store): Store {
    return { ...store, reader: (scope) => this.reader(store.reader(scope)) } as Store
  }

  private reader(real: Reader): Reader {
    const all = async <R>(query: AnyQuery<R>, values?: unknown): Promise<R[]> => {
      this.running++
      const rows = await real.all(query, values as never)
      if (this.holding) await this.waitForRelease()
      this.running--
      return rows
    }
    return {
      dialect: real.dialect,
      all,
      first: async <R>(query: AnyQuery<R>, values?: unknown) => (await all(query, values))[0],
    }
  }

  private waitForRelease(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.readHeld()
    })
  }

  /** Calls `startRead`, and returns when its rows are held back. `heldBefore`: number of reads held already. */
  async holdNext(heldBefore: number, startRead: () => void): Promise<void> {
    while (this.running > heldBefore) await new Promise(setImmediate)
    this.holding = true
    const held = new Promise<void>((resolve) => {
      this.readHeld = resolve
    })
    startRead()
    await held
    this.holding = false
  }

  /** Returns the rows of the read that was held first. */
  releaseOldest(): void {
    this.waiting.shift()?.()
  }
}

/** Records delivered sequences and lets a test wait for one. */
class RecordingListener {
  readonly sequences: number[] = []
  private delivered: () => void = () => {}

  readonly deliver = (rows: readonly { readonly sequence: number }[]): void => {
    this.sequences.push(...rows.map(({ sequence }) => sequence))
    this.delivered()
  }

  async until(sequence: number): Promise<number[]> {
    while (this.sequences.at(-1) !== sequence) {
      await new Promise<void>((resolve) => {
        this.delivered = resolve
      })
    }
    return this.sequences
  }
}

onEveryWorld('the feed of events', (world) => {
  it('delivers every event to a listener that joins during a read for other listeners', async () => {
    const { services, acme } = world
    const reads = new LateReads()
    const feed = new EventFeed(reads.of(services.store), services.log, services.clock)
    const realm = acme.realms.live
    const scope = { organization: acme.id, realms: [realm] }
    const workspace = (title: string) => world.make('/v1/workspaces', { title })
    await workspace('Before')
    const { id, sequence: start } = (await world.get('/v1/events?limit=1')).body.data[0]
    const position = { realm, scope, after: { sequence: start, id } }
    const ready = async () => true
    const first = new RecordingListener()
    await feed.listen(position, first.deliver, ready)
    const joining = new RecordingListener()
    let joined: Promise<unknown> = Promise.resolve()
    // The joining listener's read found nothing after the start, and its rows are still held back.
    await reads.holdNext(0, () => {
      joined = feed.listen(position, joining.deliver, ready)
    })
    await workspace('One')
    feed.wake(realm)
    await first.until(start + 1)
    await workspace('Two')
    await reads.holdNext(1, () => feed.wake(realm))
    reads.releaseOldest()
    await joined
    reads.releaseOldest()
    assert.deepEqual(await joining.until(start + 2), [start + 1, start + 2])
    assert.deepEqual(await first.until(start + 2), [start + 1, start + 2])
    feed.close()
  })
})
