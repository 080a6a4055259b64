import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { minutesOf } from '../src/pages/work/duration-text.ts'

describe('a typed duration', () => {
  it('is minutes without a unit, and hours with a colon or a fraction, in both ways of writing it', () => {
    const texts = ['45', '1:30', '1.5', '1,5', '1.5 h', '1,5h', '1 h 30 min', '1h30', '90 m', ' 2H ']
    assert.deepEqual(texts.map(minutesOf), [45, 90, 90, 90, 90, 90, 90, 90, 90, 120])
  })

  it('is nothing if it is empty, zero, negative, or not a duration', () => {
    const texts = ['', '0', '0:00', '-3', '2:75', '1.5 min', '2 hours', '1.200,5', 'soon']
    assert.deepEqual(texts.map(minutesOf), Array(texts.length).fill(null))
  })
})
