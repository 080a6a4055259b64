/** The days and dates of the timeline, and the reports' spreads. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvCell } from '../src/app/csv.ts'
import { startOf } from '../src/pages/work/calendar/days.ts'
import { percentile, spreadOf, timedTasks } from '../src/pages/work/reports/report-data.ts'
import { barOf, followersOf, movedDates, plannedDates } from '../src/pages/work/timeline/bars.ts'
import { dayAt, dayX, scaleOf, ticksOf } from '../src/pages/work/timeline/scale.ts'

const at = (day: string, hour: number) => startOf(day) + hour * 3600

describe('the bars of a timeline', () => {
  const task = { start_at: at('2027-03-09', 9), due_at: at('2027-03-12', 17) }

  it('cover the days from start to due date, one day with one date, none without', () => {
    assert.deepEqual(barOf(task), { from: '2027-03-09', to: '2027-03-12' })
    assert.deepEqual(barOf({ start_at: null, due_at: task.due_at }), { from: '2027-03-12', to: '2027-03-12' })
    assert.equal(barOf({ start_at: null, due_at: null }), null)
  })

  it('move by whole days at the same times, and an end never passes the other', () => {
    assert.deepEqual(movedDates(task, 'whole', 3), { start_at: at('2027-03-12', 9), due_at: at('2027-03-15', 17) })
    assert.deepEqual(movedDates(task, 'due', -1), { ...task, due_at: at('2027-03-11', 17) })
    assert.deepEqual(movedDates(task, 'due', -9), { ...task, due_at: at('2027-03-09', 17) })
    assert.deepEqual(movedDates(task, 'start', 9), { ...task, start_at: at('2027-03-12', 9) })
    const evening = { start_at: at('2027-03-09', 20), due_at: at('2027-03-10', 8) }
    assert.deepEqual(movedDates(evening, 'due', -1), { start_at: at('2027-03-09', 0), due_at: at('2027-03-09', 8) })
    assert.deepEqual(movedDates({ start_at: null, due_at: task.due_at }, 'start', -2), {
      start_at: at('2027-03-10', 0),
      due_at: task.due_at,
    })
  })

  it('are planned between two days in either order', () => {
    const [forth, back] = [plannedDates('2027-03-09', '2027-03-11'), plannedDates('2027-03-11', '2027-03-09')]
    assert.deepEqual(forth, back)
    assert.deepEqual(barOf(forth), { from: '2027-03-09', to: '2027-03-11' })
  })

  it('have followers through blocks and precedes, each once, also in a ring', () => {
    const links = [
      { id: '1', from: 'a', to: 'b', kind: 'blocks' },
      { id: '2', from: 'b', to: 'c', kind: 'precedes' },
      { id: '3', from: 'c', to: 'a', kind: 'precedes' },
      { id: '4', from: 'a', to: 'd', kind: 'relates_to' },
    ]
    assert.deepEqual(
      followersOf('a', () => links, 10),
      ['b', 'c'],
    )
  })
})

describe('the axis of a timeline', () => {
  it('finds the place of a day and the day of a place, over a change of the clock', () => {
    for (const zoom of ['week', 'month', 'quarter'] as const) {
      const scale = scaleOf(zoom, '2027-03-20')
      for (const day of ['2027-03-20', '2027-03-28', '2027-03-29', '2027-04-30']) {
        assert.equal(dayAt(scale, dayX(scale, day)), day)
        assert.equal(dayAt(scale, dayX(scale, day) + scale.day_px - 1), day)
      }
    }
  })

  it('names months over weeks, and only those near the window', () => {
    const scale = scaleOf('month', '2027-03-20')
    const from = dayX(scale, '2027-03-01')
    const { upper, lower } = ticksOf(scale, from, from + 20 * scale.day_px)
    assert.deepEqual(
      upper.map(({ text }) => text),
      ['March 2027'],
    )
    assert.deepEqual(
      lower.map(({ text }) => text),
      ['1', '8', '15'],
    )
  })
})

describe('the reports', () => {
  it('measure from the start of a task to its completion, the slowest first', () => {
    const task = { task: 't', key: 'K-1', title: 'T', assignee: null, created: 0 }
    const completed = [
      { ...task, started_at: 0, completed_at: 86_400 },
      { ...task, started_at: null, completed_at: 5 },
      { ...task, started_at: 0, completed_at: 3 * 86_400 },
    ]
    const days = timedTasks(completed).map((each) => each.days)
    assert.deepEqual(days, [3, 1])
    const ranges = [
      { name: 'short', from: 0, until: 2 },
      { name: 'long', from: 2, until: null },
    ]
    assert.deepEqual(spreadOf(days, ranges), [1, 1])
    assert.deepEqual([percentile(days, 0.5), percentile(days, 0.85), percentile([], 0.5)], [1, 3, null])
  })

  it('export texts that no spreadsheet takes for a formula', () => {
    assert.deepEqual(['=A1', 'a,b', '"', '-5', '-x'].map(csvCell), ["'=A1", '"a,b"', '""""', '-5', "'-x"])
  })
})
