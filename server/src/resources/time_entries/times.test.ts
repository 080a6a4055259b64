import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Refusal } from '../../api/declare/errors.ts'
import { changedTimes, newTimes, type SentTimes, startedTimes, stoppedTimes, type Times } from './times.ts'

const now = 1_785_844_800_250
const stopped = { status: 'stopped', offset_ms: 0 }

/** The seconds that an entry may end ahead of the present. */
const year = 366 * 86_400

function refusedParam(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return `${error.status} ${error.options.param}`
  }
  throw new Error('it was not refused')
}

it('any two of the three times determine the third', () => {
  const whole = { started_at: 1_000_000, ended_at: 1_090_500, duration_ms: 90_500, ...stopped }
  assert.deepEqual(newTimes({ started_at: 1000, duration_ms: 90_500 }, now), whole)
  assert.deepEqual(newTimes({ started_at: 1000, ended_at: 1090, duration_ms: 90_500 }, now), whole)
  assert.deepEqual(newTimes({ started_at: 1000, ended_at: 1090 }, now), {
    ...whole,
    ended_at: 1_090_000,
    duration_ms: 90_000,
  })
  assert.deepEqual(newTimes({ started_at: null, ended_at: 1090, duration_ms: 90_500 }, now), {
    ...whole,
    started_at: 999_500,
    ended_at: 1_090_000,
  })
})

it('started_at alone creates a running entry', () => {
  const entry = newTimes({ started_at: 1000, ended_at: null }, now)
  assert.deepEqual(entry, {
    started_at: 1_000_000,
    ended_at: null,
    duration_ms: null,
    offset_ms: 0,
    status: 'running',
  })
})

it('missing, contradictory, reversed and out-of-range times are refused by name', () => {
  const refused: [SentTimes, string][] = [
    [{}, '400 started_at'],
    [{ ended_at: 1000 }, '400 started_at'],
    [{ duration_ms: 1000 }, '400 started_at'],
    [{ started_at: null, ended_at: null, duration_ms: 5 }, '400 started_at'],
    [{ started_at: 1000, ended_at: 1090, duration_ms: 91_000 }, '400 duration_ms'],
    [{ started_at: 1000, ended_at: 1090, duration_ms: 89_999 }, '400 duration_ms'],
    [{ started_at: 1000, ended_at: 999 }, '400 ended_at'],
    [{ ended_at: 10, duration_ms: 10_001 }, '400 duration_ms'],
    [{ started_at: 1000, duration_ms: Number.MAX_SAFE_INTEGER }, '400 duration_ms'],
    [{ started_at: Math.floor(now / 1000) + 1 }, '400 started_at'],
    [{ started_at: 1000, ended_at: Math.floor(now / 1000) + year + 1 }, '400 ended_at'],
    [{ started_at: Math.floor(now / 1000) + year, duration_ms: 1_000 }, '400 duration_ms'],
  ]
  for (const [sent, param] of refused) {
    assert.equal(
      refusedParam(() => newTimes(sent, now)),
      param,
      JSON.stringify(sent),
    )
  }
})

it('an entry may end a year ahead, and one from before that ends later can still be moved', () => {
  const end = Math.floor(now / 1000) + year
  assert.equal(newTimes({ started_at: 1000, ended_at: end }, now).ended_at, end * 1000)
  const far: Times = { ...entry, ended_at: (end + 10) * 1000, duration_ms: (end + 10) * 1000 - entry.started_at }
  assert.equal(changedTimes(far, { started_at: 2000 }, now).started_at, 2_000_000)
  assert.equal(
    refusedParam(() => changedTimes(far, { ended_at: end + 9 }, now)),
    '400 ended_at',
  )
  assert.equal(
    refusedParam(() => changedTimes(entry, { duration_ms: (end + 1) * 1000 }, now)),
    '400 duration_ms',
  )
})

it('time worked before the start is part of the duration, and a clock set back does not reduce it', () => {
  const running = startedTimes(60_000, now)
  assert.deepEqual(stoppedTimes(running, now + 1_500), {
    started_at: now,
    ended_at: now + 1_500,
    duration_ms: 61_500,
    offset_ms: 60_000,
    status: 'stopped',
  })
  assert.equal(stoppedTimes(running, now - 5_000).duration_ms, 60_000)
  assert.equal(stoppedTimes(running, now - 5_000).ended_at, now)
  const endless = startedTimes(Number.MAX_SAFE_INTEGER, now)
  assert.equal(stoppedTimes(endless, now + 1).duration_ms, Number.MAX_SAFE_INTEGER)
})

const entry: Times = {
  started_at: 1_000_200,
  ended_at: 1_090_700,
  duration_ms: 90_500,
  offset_ms: 0,
  status: 'stopped',
}

it('a change of the end or duration keeps the start', () => {
  const change = (sent: SentTimes) => ({ ...entry, ...changedTimes(entry, sent, now) })
  assert.deepEqual(change({ started_at: 1010 }), { ...entry, started_at: 1_010_000, duration_ms: 80_700 })
  assert.deepEqual(change({ ended_at: 1100 }), { ...entry, ended_at: 1_100_000, duration_ms: 99_800 })
  assert.deepEqual(change({ duration_ms: 10_000 }), { ...entry, ended_at: 1_010_200, duration_ms: 10_000 })
})

it('a change of two times determines the third, and times sent as shown keep their milliseconds', () => {
  const change = (sent: SentTimes) => ({ ...entry, ...changedTimes(entry, sent, now) })
  assert.deepEqual(change({ ended_at: 1090, duration_ms: 60_000 }), {
    ...entry,
    started_at: 1_030_700,
    duration_ms: 60_000,
  })
  assert.deepEqual(change({ started_at: 1000, ended_at: 1100 }), { ...entry, ended_at: 1_100_000, duration_ms: 99_800 })
  assert.deepEqual(change({ started_at: 1000, duration_ms: 1_000 }), {
    ...entry,
    ended_at: 1_001_200,
    duration_ms: 1_000,
  })
  assert.deepEqual(changedTimes(entry, { started_at: 1000, ended_at: 1090, duration_ms: 90_500 }, now), {})
  assert.deepEqual(changedTimes(entry, { ended_at: 1090 }, now), {})
  assert.deepEqual(changedTimes(entry, {}, now), {})
})

it('start and duration of a stopped entry give its end after every change', () => {
  const times = [undefined, 990, 1000, 1050, 1090, 1200]
  for (const started_at of times) {
    for (const ended_at of times) {
      for (const duration_ms of [undefined, 0, 1_500, 90_500]) {
        const sent = Object.fromEntries(
          Object.entries({ started_at, ended_at, duration_ms }).filter(([, value]) => value !== undefined),
        )
        let after: Times
        try {
          after = { ...entry, ...changedTimes(entry, sent, now) }
        } catch (error) {
          assert.ok(error instanceof Refusal)
          continue
        }
        assert.equal(after.started_at + (after.duration_ms as number), after.ended_at, JSON.stringify(sent))
        if (started_at !== undefined) assert.equal(Math.floor(after.started_at / 1000), started_at)
        if (ended_at !== undefined) assert.equal(Math.floor((after.ended_at as number) / 1000), ended_at)
        if (duration_ms !== undefined) assert.equal(after.duration_ms, duration_ms)
      }
    }
  }
})

it('the offset is kept by a change of start or end alone and removed by any other', () => {
  const offset: Times = { ...entry, offset_ms: 60_000, duration_ms: 150_500 }
  const change = (sent: SentTimes) => ({ ...offset, ...changedTimes(offset, sent, now) })
  assert.deepEqual(change({ started_at: 1010 }), { ...offset, started_at: 1_010_000, duration_ms: 140_700 })
  assert.deepEqual(change({ ended_at: 1100 }), { ...offset, ended_at: 1_100_000, duration_ms: 159_800 })
  assert.deepEqual(change({ duration_ms: 10_000 }), { ...entry, ended_at: 1_010_200, duration_ms: 10_000 })
  assert.deepEqual(change({ started_at: 1000, ended_at: 1091 }), { ...entry, ended_at: 1_091_000, duration_ms: 90_800 })
  assert.deepEqual(changedTimes(offset, { started_at: 1000, ended_at: 1090, duration_ms: 150_500 }, now), {})
})

it('an end or a duration stops a running entry; its start can move, but not into the future', () => {
  const running: Times = { started_at: now, ended_at: null, duration_ms: null, offset_ms: 1_000, status: 'running' }
  const second = Math.floor(now / 1000)
  assert.deepEqual(changedTimes(running, { started_at: second - 60 }, now), { started_at: (second - 60) * 1000 })
  assert.deepEqual(changedTimes(running, { started_at: second, ended_at: null }, now), {})
  assert.deepEqual(changedTimes(running, { ended_at: second + 60 }, now), {
    started_at: now,
    ended_at: (second + 60) * 1000,
    duration_ms: 60_750,
    offset_ms: 1_000,
    status: 'stopped',
  })
  assert.deepEqual(changedTimes(running, { duration_ms: 5_000 }, now), {
    started_at: now,
    ended_at: now + 5_000,
    duration_ms: 5_000,
    ...stopped,
  })
  assert.equal(
    refusedParam(() => changedTimes(running, { started_at: second + 1 }, now)),
    '400 started_at',
  )
})

it('an entry always has a start, and a stopped one cannot run again', () => {
  assert.equal(
    refusedParam(() => changedTimes(entry, { started_at: null }, now)),
    '400 started_at',
  )
  assert.equal(
    refusedParam(() => changedTimes(entry, { ended_at: null }, now)),
    '409 ended_at',
  )
  const recomputed = changedTimes(entry, { started_at: null, ended_at: 1090, duration_ms: 700 }, now)
  assert.equal(recomputed.started_at, 1_090_000)
})
