import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import type { AnyQuery } from '../../db/query.ts'
import type { Reader, Store } from '../../db/store.ts'
import { EventFeed } from './event-feed.ts'

/** The reads of a store whose answers come as late as is wished. */
class LateReads {
  private readonly waiting: (() => void)[] = []
  private asked: () => void = () => {}
  private holding = false
  private underWay = 0

  /** The store with its reads held; nothing else is changed. */
  of(store: Store): Store {
    return { ...store, reader: (scope) => this.reader(store.reader(scope)) } as Store
  }

  private reader(real: Reader): Reader {
    const all = async <R>(query: AnyQuery<R>, values?: unknown): Promise<R[]> => {
      this.underWay++
      const rows = await real.all(query, values as never)
      if (this.holding) await this.held()
      this.underWay--
      return rows
    }
    return {
      dialect: real.dialect,
      all,
      first: async <R>(query: AnyQuery<R>, values?: unknown) => (await all(query, values))[0],
    }
  }

  private held(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.asked()
    })
  }

  /** Does what causes a read, and returns once its answer is held back. `before`: so many answers are held already. */
  async hold(before: number, cause: () => void): Promise<void> {
    while (this.underWay > before) await new Promise(setImmediate)
    this.holding = true
    const asked = new Promise<void>((resolve) => {
      this.asked = resolve
    })
    cause()
    await asked
    this.holding = false
  }

  /** Lets the answer through that has waited longest. */
  release(): void {
    this.waiting.shift()?.()
  }
}

/** A listener that can be waited for. */
class Heard {
  readonly sequences: number[] = []
  private look: () => void = () => {}

  readonly deliver = (rows: readonly { readonly sequence: number }[]): void => {
    this.sequences.push(...rows.map(({ sequence }) => sequence))
    this.look()
  }

  async until(sequence: number): Promise<number[]> {
    while (this.sequences.at(-1) !== sequence) {
      await new Promise<void>((resolve) => {
        this.look = resolve
      })
    }
    return this.sequences
  }
}

onEveryEngine('the feed of events', (engine) => {
  let world: World
  before(async () => {
    world = await openWorld(engine)
  })
  after(() => world.close())

  it('passes nothing over to one who joins while it reads on for the others', async () => {
    const { services, acme } = world
    const reads = new LateReads()
    const feed = new EventFeed(reads.of(services.store), services.log, services.clock)
    const realm = acme.realms.live
    const scope = { organization: acme.id, realms: [realm] }
    const workspace = (title: string) => world.make('/v1/workspaces', { title })
    await workspace('Before')
    const { id, sequence: start } = (await world.get('/v1/events?limit=1')).body.data[0]
    const place = { realm, scope, after: { sequence: start, id } }
    const ready = async () => true
    const first = new Heard()
    await feed.listen(place, first.deliver, ready)
    const joining = new Heard()
    let joined: Promise<unknown> = Promise.resolve()
    // It has looked, and its answer is late: there was nothing behind the start.
    await reads.hold(0, () => {
      joined = feed.listen(place, joining.deliver, ready)
    })
    await workspace('One')
    feed.wake(realm)
    await first.until(start + 1)
    await workspace('Two')
    await reads.hold(1, () => feed.wake(realm))
    reads.release()
    await joined
    reads.release()
    assert.deepEqual(await joining.until(start + 2), [start + 1, start + 2])
    assert.deepEqual(await first.until(start + 2), [start + 1, start + 2])
    feed.close()
  })
})
