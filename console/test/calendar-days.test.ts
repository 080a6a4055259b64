/** The days of a calendar, also where the clock changes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { inProject, projectOf } from '../src/app/project-filter.ts'
import {
  addDays,
  dayOf,
  daysBetween,
  dueOn,
  movedBy,
  periodName,
  shownDays,
  startOf,
} from '../src/pages/work/calendar/days.ts'

describe('the days of a calendar', () => {
  it('are whole weeks from Monday that contain the month', () => {
    const days = shownDays('month', '2026-11-24')
    assert.deepEqual([days[0], days.at(-1), days.length], ['2026-10-26', '2026-12-06', 42])
    assert.deepEqual(shownDays('month', '2027-02-10').length, 28)
    assert.deepEqual(shownDays('week', '2027-01-01'), [
      ...['2026-12-28', '2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02', '2027-01-03'],
    ])
  })

  it('move by a month to the same day, or to its last', () => {
    assert.equal(movedBy('month', '2026-01-31', 1), '2026-02-28')
    assert.equal(movedBy('month', '2026-12-15', 1), '2027-01-15')
    assert.equal(movedBy('week', '2026-12-30', 1), '2027-01-06')
    assert.equal(addDays('2028-02-28', 1), '2028-02-29')
  })

  it('have names that are as short as possible', () => {
    assert.equal(periodName('month', '2026-11-24'), 'November 2026')
    assert.equal(periodName('week', '2026-11-24'), 'Nov 23 – 29, 2026')
    assert.equal(periodName('week', '2026-12-31'), 'Dec 28, 2026 – Jan 3, 2027')
  })

  it('keep the time of the day of a task that moves, and end one that had no date', () => {
    const due = startOf('2026-11-24') + 9 * 3600 + 30 * 60
    assert.equal(dueOn('2026-11-27', due), startOf('2026-11-27') + 9 * 3600 + 30 * 60)
    assert.equal(dueOn('2026-11-27', null), startOf('2026-11-28') - 60)
  })

  it('are right where the clock changes and far from Greenwich', () => {
    const own = import.meta.filename
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe']) {
      const text = `
        import { addDays, dayOf, daysBetween, dueOn, startOf } from ${JSON.stringify(new URL('../src/pages/work/calendar/days.ts', `file://${own}`).href)}
        let day = '2026-01-01'
        for (let i = 0; i < 730; i++) {
          const next = addDays(day, 1)
          if (dayOf(startOf(day)) !== day || dayOf(startOf(next) - 1) !== day) throw new Error(day)
          if (daysBetween('2026-01-01', day) !== i || dayOf(dueOn(day, 1_800_000_000)) !== day) throw new Error(day)
          day = next
        }`
      execFileSync(process.execPath, ['--input-type=module-typescript', '-e', text], {
        env: { ...process.env, TZ: zone },
      })
    }
  })

  it('start where the day before ends', () => {
    assert.equal(dayOf(startOf('2026-11-24')), '2026-11-24')
    assert.equal(daysBetween('2026-11-24', '2026-11-24'), 0)
  })
})

describe('a filter with a project', () => {
  it('can be taken apart again, unless it selects tasks of other projects', () => {
    for (const rest of ['', 'priority = high', 'priority = high OR assignee = me', 'title: "a AND b"']) {
      assert.deepEqual(projectOf(inProject('prj_1', rest)), { project: 'prj_1', rest })
    }
    for (const filter of ['', 'priority = high', 'project = prj_1 AND a = b OR c = d', 'NOT project = prj_1']) {
      assert.deepEqual(projectOf(filter), { project: null, rest: filter })
    }
  })
})
