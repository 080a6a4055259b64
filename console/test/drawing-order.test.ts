/** The drawing order that pages make of equal indices. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { generateKeyBetween } from 'fractional-indexing'
import { Dice } from '../../proof/dice.ts'
import { inDrawingOrder, type OrderedElement } from '../src/pages/boards/live/drawing-order.ts'

const shown = (elements: readonly OrderedElement[]) =>
  inDrawingOrder(elements)
    .map(({ id, index }) => `${id} ${index}`)
    .join(', ')

describe('the drawing order of a board', () => {
  it('is by index, and different indices stay as they are', () => {
    const elements = [
      { id: 'a', index: 'a2' },
      { id: 'b', index: 'a0' },
      { id: 'c', index: 'a1V' },
    ]
    assert.equal(shown(elements), 'b a0, c a1V, a a2')
  })

  it('is by id where indices are equal, which become different before the next one', () => {
    const elements = [
      { id: 'c', index: 'a1' },
      { id: 'last', index: 'a2' },
      { id: 'b', index: 'a1' },
      { id: 'a', index: 'a1' },
    ]
    assert.equal(shown(elements), 'a a1, b a1G, c a1V, last a2')
    assert.equal(
      shown([
        { id: 'y', index: 'a9' },
        { id: 'x', index: 'a9' },
      ]),
      'x a9, y aA',
    )
  })

  it('is the same for 1,000 random scenes in whatever order their elements come, with different, rising indices', () => {
    const dice = new Dice(20261128)
    for (let i = 0; i < 1000; i++) {
      const scene = randomScene(dice)
      const ordered = inDrawingOrder(scene)
      assert.deepEqual(inDrawingOrder(shuffled(scene, dice)), ordered)
      assert.deepEqual(ordered.map(({ id }) => id).toSorted(), scene.map(({ id }) => id).toSorted())
      for (const [at, { index }] of ordered.entries()) if (at > 0) assert.ok((ordered[at - 1]?.index ?? '') < index)
    }
  })
})

function randomScene(dice: Dice): OrderedElement[] {
  const indices: string[] = []
  for (let i = dice.int(1, 8); i > 0; i--) {
    const at = dice.int(0, indices.length)
    indices.splice(at, 0, generateKeyBetween(indices[at - 1] ?? null, indices[at] ?? null))
  }
  return Array.from({ length: dice.int(1, 20) }, (_, i) => ({ id: `e${i}`, index: dice.pick(indices) }))
}

function shuffled<T>(items: readonly T[], dice: Dice): T[] {
  return items
    .map((item) => [dice.unit(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)
}
