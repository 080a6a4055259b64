import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slices } from './turns.ts'

test('long tasks take turns, and the event loop runs between any two slices', async () => {
  const done: string[] = []
  async function work(name: string): Promise<void> {
    const slices = new Slices(1, 1, 1, 60_000)
    for (let i = 0; i < 3; i++) {
      done.push(name)
      assert.equal(await slices.next(), true)
    }
  }
  let turns = 0
  let going = true
  const count = () => {
    turns++
    if (going) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all([work('a'), work('b')])
  going = false
  assert.equal(done.join(''), 'ababab')
  assert.ok(turns >= 6, `${turns} turns`)
})

test('slices grow while they are fast, up to the maximum size', async () => {
  const slices = new Slices(10, 100, 10_000, 60_000)
  const sizes: number[] = []
  for (let i = 0; i < 4; i++) {
    sizes.push(slices.size)
    await slices.next()
  }
  assert.deepEqual(sizes, [10, 40, 100, 100])
})

test('a task past its deadline gets no further slice', async () => {
  assert.equal(await new Slices(1, 1, 1, -1).next(), false)
})
