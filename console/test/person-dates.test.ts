/** Dates follow what the person has chosen under Settings → Dates: time zone, language, and first day of the week. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, it } from 'node:test'
import { dayChip, localInstant, weekOf } from '../src/app/filter/days.ts'
import { setTimeFormat } from '../src/design/time-format.ts'
import { calendarDay, momentOf, wallOf } from '../src/design/wall-time.ts'
import { kindOf } from '../src/pages/automations/editor/kinds.ts'
import { initialAnswers } from '../src/pages/automations/gallery/recipe.ts'
import { recipes } from '../src/pages/automations/gallery/recipes.ts'
import { dayName as dayOfRuns, rangeOf, timeOf } from '../src/pages/automations/run-times.ts'
import { dateAfterTomorrow } from '../src/pages/automations/sentence/moments.ts'
import { starts, withStart } from '../src/pages/automations/sentence/starts.ts'
import { settingWords } from '../src/pages/automations/sentence/words.ts'
import { snoozeTimes } from '../src/pages/inbox/snooze-times.ts'
import { dayOfEntry, dayText, weekStartOf, weekText } from '../src/pages/money/week.ts'
import { dayName, dayOf, dueOn, periodName, shownDays, startOf } from '../src/pages/work/calendar/days.ts'
import { dayOf as dayInWords, endOfDay } from '../src/pages/work/date-words.ts'
import { dueBounds } from '../src/pages/work/list-groups.ts'
import { scaleOf, ticksOf } from '../src/pages/work/timeline/scale.ts'

const source = join(import.meta.dirname, '../src')
/** Dates, clocks and numbers as the browser has them. */
const of_browser =
  /\.toLocale(?:Date|Time)String\(|\.toLocaleString\((?!(?:text|format)Language\(\))|new Intl\.(?:DateTimeFormat|NumberFormat)\((?!formatLanguage\(\))|(?<!new )Intl\.DateTimeFormat\(|\.(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes)\(/
/** Where the browser's own is meant. */
const browsers_own = [
  // Its time zone is offered by name.
  'pages/settings/dates-page.tsx',
]

const unset = { timeZone: null, language: null, weekStartsOn: null }
const hour_s = 3600
const day_s = 24 * hour_s
const at = (text: string) => Date.parse(text) / 1000

describe('dates of a person', () => {
  afterEach(() => setTimeFormat(unset))

  it('are of the chosen time zone at every hour of a year, as the calendar of the runtime has it', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe', 'UTC']
    for (const timeZone of zones) {
      setTimeFormat({ ...unset, timeZone })
      for (let moment = at('2026-01-01T00:30:00Z'); moment < at('2027-01-01T00:00:00Z'); moment += hour_s) {
        const instant = Temporal.Instant.fromEpochMilliseconds(moment * 1000)
        const wall = instant.toZonedDateTimeISO(timeZone).toPlainDateTime()
        assert.equal(wallOf(moment).toISOString().slice(0, 19), wall.toString().slice(0, 19), timeZone)
        const first = wall.toZonedDateTime(timeZone, { disambiguation: 'compatible' })
        assert.equal(momentOf(wallOf(moment)), first.epochMilliseconds / 1000, `${timeZone} ${wall}`)
      }
    }
  })

  it('that summer time leaves out come an hour later', () => {
    setTimeFormat({ ...unset, timeZone: 'Europe/Berlin' })
    assert.equal(momentOf(new Date('2027-03-28T02:30:00Z')), at('2027-03-28T01:30:00Z'))
  })

  it('begin and end in the chosen time zone: days of calendar, groups, filters, words, timesheet and inbox', () => {
    setTimeFormat({ ...unset, timeZone: 'Pacific/Auckland' })
    const now = at('2026-11-27T12:00:00Z')
    assert.deepEqual([dayOf(now), startOf('2026-11-28')], ['2026-11-28', at('2026-11-27T11:00:00Z')])
    assert.equal(dueOn('2026-11-29', now), now + day_s)
    assert.deepEqual(dueBounds(now).slice(0, 2), [at('2026-11-27T11:00:00Z'), at('2026-11-28T11:00:00Z')])
    assert.equal(localInstant(now), '2026-11-28T01:00:00+13:00')
    const [from, until] = dayChip('due_at', 'is', '2026-11-28').values.map(({ text }) => text)
    assert.deepEqual([from, until], ['2026-11-28T00:00:00+13:00', '2026-11-28T23:59:59+13:00'])
    const tomorrow = dayInWords('tomorrow', now * 1000)
    assert.equal(tomorrow && calendarDay(tomorrow), '2026-11-29')
    assert.equal(tomorrow && endOfDay(tomorrow), at('2026-11-29T10:59:59Z'))
    assert.equal(dayOfEntry({ started_at: now }), '2026-11-28')
    assert.equal(snoozeTimes(now)[1]?.at, at('2026-11-28T20:00:00Z'))
  })

  it('begin and end in the chosen time zone on the pages of automations: filters of runs, schedules, dates in words', () => {
    const schedule = starts.find(({ id }) => id === 'schedule')
    const trigger = { id: 'start', type: 'trigger.manual', config: {} }
    for (const timeZone of ['Pacific/Auckland', 'America/Los_Angeles']) {
      setTimeFormat({ ...unset, timeZone })
      const now = at('2026-11-27T12:00:00Z')
      const begins = Temporal.Instant.from('2026-11-27T12:00:00Z').toZonedDateTimeISO(timeZone).startOfDay()
      const dayFrom = (days: number) => begins.add({ days }).epochMilliseconds / 1000
      const day = begins.toPlainDate().toString()
      const ranged = (text: string) => rangeOf(timeOf(text) ?? assert.fail(text), now * 1000)
      assert.deepEqual(ranged('today'), { created_after: dayFrom(0) - 1 })
      assert.deepEqual(ranged('30d'), { created_after: dayFrom(-29) - 1 })
      assert.deepEqual(ranged(`${day}..${day}`), { created_after: dayFrom(0) - 1, created_before: dayFrom(1) })
      assert.equal(dateAfterTomorrow(now), dayFrom(2))
      assert.equal(schedule && withStart(trigger, schedule).config.timezone, timeZone)
      assert.equal(kindOf('trigger.schedule').config.timezone, timeZone)
      const weekly = recipes.find(({ id }) => id === 'plan_the_week')
      assert.equal(weekly?.graph(initialAnswers(weekly)).nodes[0]?.config.timezone, timeZone)
    }
    setTimeFormat({ ...unset, timeZone: 'Pacific/Auckland', language: 'de' })
    const names = { nameOf: String, fieldName: String, optionName: String, filterWords: String }
    assert.equal(settingWords(at('2026-11-27T12:00:00Z'), names), '28.11.2026, 01:00')
    assert.equal(dayOfRuns('2026-11-28'), '28.11.2026')
  })

  it('are written by the formats of the person on every page', () => {
    const found = globSync('**/*.{ts,tsx}', { cwd: source }).flatMap((path) => {
      if (path.startsWith('design/') || path.startsWith('language/') || browsers_own.includes(path)) return []
      const lines = readFileSync(join(source, path), 'utf8').split('\n')
      return lines.flatMap((line, at) => (of_browser.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : []))
    })
    const advice =
      'Write dates with `design/time.ts`, count days with `design/wall-time.ts`, numbers with `formatLanguage`.'
    assert.deepEqual(found, [], advice)
  })

  it('are in weeks from the chosen day: on calendar, timeline and timesheet, in filters and words', () => {
    const thursday = '2026-11-26'
    const now = startOf(thursday) + 12 * hour_s
    const starts = { 1: '2026-11-23', 6: '2026-11-21', 7: '2026-11-22' }
    for (const [weekStartsOn, first] of Object.entries(starts)) {
      setTimeFormat({ ...unset, weekStartsOn: Number(weekStartsOn) })
      assert.equal(shownDays('week', thursday)[0], first)
      assert.equal(new Date(shownDays('month', thursday)[0] ?? '').getUTCDay(), Number(weekStartsOn) % 7)
      assert.equal(weekStartOf(thursday), first)
      assert.equal(weekOf('custom_fields.launch', now)[0].text, first)
      assert.equal(ticksOf(scaleOf('month', thursday), 78 * 7 * 20, 78 * 7 * 20 + 1).lower[0]?.day, first)
      const next = dayInWords('next week', now * 1000)
      assert.equal(next?.getTime(), Date.parse(first) + 7 * day_s * 1000)
    }
    setTimeFormat({ ...unset, weekStartsOn: 7 })
    assert.equal(periodName('week', thursday), 'Nov 22 – 28, 2026')
    assert.equal(weekText('2026-11-22'), 'Nov 22 – 28, 2026')
  })

  it('are written in the chosen language, also by what was loaded before', () => {
    assert.equal(dayName('2026-11-26'), 'Thursday, November 26')
    setTimeFormat({ ...unset, language: 'fr' })
    assert.equal(dayName('2026-11-26'), 'jeudi 26 novembre')
    assert.equal(periodName('month', '2026-11-26'), 'novembre 2026')
    assert.equal(dayText('2026-11-26'), 'jeu. 26')
    setTimeFormat({ ...unset, language: 'de' })
    assert.equal(periodName('week', '2026-11-26'), '23.–29. Nov. 2026')
  })
})
