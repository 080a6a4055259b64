import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { waitAfter } from './idle-wait.ts'

describe('A worker that found nothing', () => {
  const waits = (wakeUp: 'events' | 'deliveries', dialect: 'sqlite' | 'postgres', isScanner = true) =>
    [0, 1, 2, 3, 4, 5, 50, 5000].map((idle_runs) =>
      waitAfter({ period_ms: 500, wakeUp }, dialect, idle_runs, isScanner),
    )

  it('looks less and less often if notifications of events wake it', () => {
    assert.deepEqual(waits('events', 'postgres'), [500, 500, 1000, 2000, 4000, 5000, 5000, 5000])
  })

  it('looks less and less often if another process looks for work that becomes due by time', () => {
    assert.deepEqual(waits('deliveries', 'postgres', false), waits('events', 'postgres'))
  })

  it('keeps its period if work becomes due by time, or on SQLite, which does not notify', () => {
    assert.deepEqual(new Set([...waits('deliveries', 'postgres'), ...waits('events', 'sqlite')]), new Set([500]))
  })
})
