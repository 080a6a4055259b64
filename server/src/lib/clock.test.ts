import assert from 'node:assert/strict'
import test from 'node:test'
import { HandClock, millis, seconds, systemClock } from './clock.ts'

test('the hand clock only moves when it is set or advanced', () => {
  const clock = new HandClock(1_000)
  assert.equal(clock.now(), 1_000)
  assert.equal(clock.now(), 1_000)
  clock.advance(250)
  assert.equal(clock.now(), 1_250)
  clock.set(10)
  assert.equal(clock.now(), 10)
  clock.advance(-5)
  assert.equal(clock.now(), 5)
})

test('the system clock returns whole milliseconds since the epoch', () => {
  const before = Date.now()
  const now = systemClock.now()
  assert.ok(Number.isInteger(now) && now >= before && now <= Date.now())
})

test('seconds are rounded down, also before the epoch, and convert back to milliseconds', () => {
  assert.equal(seconds(1_999), 1)
  assert.equal(seconds(2_000), 2)
  assert.equal(seconds(-1), -1)
  assert.equal(millis(2), 2_000)
  assert.equal(seconds(millis(1_785_000_000)), 1_785_000_000)
})
