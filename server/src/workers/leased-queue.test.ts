import assert from 'node:assert/strict'
import test from 'node:test'
import { StoreUnavailable } from '../db/store.ts'
import { type LeasedItem, LeasedQueue } from './leased-queue.ts'
import { retryUnavailable } from './retry-unavailable.ts'
import { Slots } from './slots.ts'

/** An item that runs until the test ends it or the queue stops it. */
class Item implements LeasedItem {
  readonly run: () => Promise<void>
  readonly end: () => void
  stopped = false

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.run = () => promise
    this.end = resolve
  }

  stop(): void {
    this.stopped = true
    this.end()
  }
}

function queueOf(claimDue: () => Promise<number>, onFree: () => void = () => {}): LeasedQueue<Item> {
  return new LeasedQueue({ renewal_ms: 1_000, claimDue, renew: async () => {}, onFree })
}

test('claims of one queue never overlap, and each counts the items of the one before', async () => {
  const seen: number[] = []
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const queue: LeasedQueue<Item> = queueOf(async () => {
    seen.push(queue.items.length)
    begun.resolve()
    await gate.promise
    queue.open({ realm: 1, id: `item_${seen.length}` }, new Item())
    return 1
  })
  const first = queue.claim()
  await begun.promise
  const second = queue.claim()
  await new Promise(setImmediate)
  assert.deepEqual(seen, [0])
  gate.resolve()
  await Promise.all([first, second])
  assert.deepEqual(seen, [0, 1])
  assert.ok(queue.has({ realm: 1, id: 'item_1' }))
  assert.ok(!queue.has({ realm: 2, id: 'item_1' }))
  await queue.end()
})

test('an item that ends makes room and is reported once', async () => {
  let freed = 0
  const queue = queueOf(
    async () => 0,
    () => void freed++,
  )
  const item = new Item()
  queue.open({ realm: 1, id: 'a' }, item)
  item.end()
  await queue.idle()
  assert.equal(freed, 1)
  assert.equal(queue.items.length, 0)
})

test('a queue that ends stops its items, waits for them and claims nothing further', async () => {
  let claims = 0
  const queue = queueOf(async () => ++claims)
  const [early, late] = [new Item(), new Item()]
  queue.open({ realm: 1, id: 'early' }, early)
  await queue.end()
  assert.ok(early.stopped)
  assert.equal(await queue.claim(), 0)
  queue.open({ realm: 1, id: 'late' }, late)
  assert.ok(late.stopped)
  await queue.idle()
  assert.equal(claims, 0)
})

test('slots are never exceeded and are given in the order in which they were asked for', async () => {
  const slots = new Slots(2)
  const taken: string[] = []
  const take = async (name: string) => {
    const release = await slots.take()
    taken.push(name)
    return release
  }
  const first = await take('first')
  await take('second')
  const third = take('third')
  const fourth = take('fourth')
  await new Promise(setImmediate)
  assert.deepEqual(taken, ['first', 'second'])
  first()
  ;(await third)()
  await fourth
  assert.deepEqual(taken, ['first', 'second', 'third', 'fourth'])
})

test('an attempt is repeated only while the store is unavailable, and at most as often as patience allows', async () => {
  let attempts = 0
  const fail = (error: Error) => async () => {
    attempts++
    throw error
  }
  const patience = { tries_max: 3, pause_ms: 1 }
  await assert.rejects(retryUnavailable(fail(new StoreUnavailable('down')), patience), StoreUnavailable)
  assert.equal(attempts, 3)
  await assert.rejects(retryUnavailable(fail(new RangeError('wrong')), patience), RangeError)
  assert.equal(attempts, 4)
  const later = async () => {
    if (++attempts < 6) throw new StoreUnavailable('down')
    return 'written'
  }
  assert.equal(await retryUnavailable(later, patience), 'written')
})
