import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type DateForm, readDate, readDay } from '../../src/imports/dates.ts'
import { Unusable } from '../../src/imports/unusable.ts'

const utc: DateForm = { zone: 'UTC' }
const at = (text: string): number => Date.parse(text) / 1000

describe('dates of exports', () => {
  it('are read in the forms that programs write', () => {
    const read: [string, string][] = [
      ['2026-08-04', '2026-08-04T00:00Z'],
      ['2026-08-04T12:30:15.123Z', '2026-08-04T12:30:15Z'],
      ['2026-08-04 12:30', '2026-08-04T12:30Z'],
      ['2026-08-04T12:30:00+02:00', '2026-08-04T10:30Z'],
      ['2026-08-04T12:30:00.000-0530', '2026-08-04T18:00Z'],
      ['2026/8/4', '2026-08-04T00:00Z'],
      ['24/Mar/26 10:02 AM', '2026-03-24T10:02Z'],
      ['24/Mar/26 12:02 AM', '2026-03-24T00:02Z'],
      ['24/Mar/26 12:02 PM', '2026-03-24T12:02Z'],
      ['1/Dec/2026', '2026-12-01T00:00Z'],
      ['04.08.2026', '2026-08-04T00:00Z'],
      ['4.8.26 9:05', '2026-08-04T09:05Z'],
      ['Aug 4, 2026', '2026-08-04T00:00Z'],
      ['Tuesday, August 4 2026 5:00 pm', '2026-08-04T17:00Z'],
      ['4 August 2026', '2026-08-04T00:00Z'],
      ['Tue, 4 Aug 2026 12:30:00 GMT', '2026-08-04T12:30Z'],
      ['24/3/2026', '2026-03-24T00:00Z'],
      ['3/24/2026 16:14', '2026-03-24T16:14Z'],
      ['1785844800', '2026-08-04T12:00Z'],
      ['1785844800000', '2026-08-04T12:00Z'],
      ['29.02.2028', '2028-02-29T00:00Z'],
      ['1/Jan/99', '1999-01-01T00:00Z'],
    ]
    for (const [text, means] of read) assert.equal(readDate(text, utc), at(means), text)
  })

  it('are of the zone that is named, on both sides of a change of the clock', () => {
    const berlin = { zone: 'Europe/Berlin' }
    assert.equal(readDate('2026-01-15', berlin), at('2026-01-14T23:00Z'))
    assert.equal(readDate('2026-07-15', berlin), at('2026-07-14T22:00Z'))
    assert.equal(readDate('2026-07-15T00:00Z', berlin), at('2026-07-15T00:00Z'))
    // The clock leaves out 02:30 on the first day, and shows it twice on the second.
    assert.equal(readDate('2026-03-29 02:30', berlin), at('2026-03-29T01:30Z'))
    assert.equal(readDate('2026-03-29 03:30', berlin), at('2026-03-29T01:30Z'))
    assert.equal(readDate('2026-10-25 02:30', berlin), at('2026-10-25T00:30Z'))
    assert.equal(readDate('2026-10-25 03:30', berlin), at('2026-10-25T02:30Z'))
    assert.equal(readDay('2026-07-14T23:30Z', berlin), '2026-07-15')
  })

  it('that could be two days need their order', () => {
    assert.throws(() => readDate('3/4/2026', utc), new Unusable('can mean two days', { kind: 'date_order', word: '' }))
    assert.equal(readDate('3/4/2026', { ...utc, order: 'dmy' }), at('2026-04-03T00:00Z'))
    assert.equal(readDate('3/4/2026', { ...utc, order: 'mdy' }), at('2026-03-04T00:00Z'))
    assert.throws(() => readDate('24/3/2026', { ...utc, order: 'mdy' }), Unusable)
  })

  it('that are not dates are refused', () => {
    const wrong = [
      'soon',
      '31.02.2026',
      '29.02.2026',
      '2026-13-01',
      '24/Foo/26',
      '2026-08-04 25:00',
      '13:00 PM',
      '32/Mar/26',
    ]
    for (const text of [...wrong, '24/Mar/26 13:00 PM', '1/Jan/1960', '2026-08-04T12:30 or so']) {
      assert.throws(() => readDate(text, utc), Unusable, text)
    }
  })
})
