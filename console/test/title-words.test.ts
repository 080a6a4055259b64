/** What the title of a new task says: dates in words, people, labels and priorities. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { dayOf } from '../src/pages/work/date-words.ts'
import { readTitle } from '../src/pages/work/title-words.ts'

/** A Wednesday. */
const now = new Date(2026, 10, 25, 15, 30).getTime()
const people = [
  { id: 'usr_1', name: 'Ada Lovelace' },
  { id: 'usr_2', name: 'Alan Turing' },
]

function shown(text: string): string | null {
  const day = dayOf(text, now)
  return day === null ? null : [day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()].join('-')
}

test('a date in words is the day that a reader expects', () => {
  const days: Readonly<Record<string, string>> = {
    today: '2026-11-25',
    Tomorrow: '2026-11-26',
    fri: '2026-11-27',
    wednesday: '2026-12-2',
    mon: '2026-11-30',
    'next fri': '2026-12-4',
    'next monday': '2026-11-30',
    'next week': '2026-11-30',
    'in 2 weeks': '2026-12-9',
    'in three days': '2026-11-28',
    'in a month': '2026-12-25',
    '3d': '2026-11-28',
    'end of month': '2026-11-30',
    '5 dec': '2026-12-5',
    'Dec 5th': '2026-12-5',
    '1 feb': '2027-2-1',
    '5.12.': '2026-12-5',
    '2028-02-29': '2028-2-29',
  }
  for (const [text, day] of Object.entries(days)) assert.equal(shown(text), day, text)
})

test('other words are no date', () => {
  for (const text of ['', 'may', 'tom', '31 feb', '2026-13-01', 'in many days', 'week', 'constructor', '5 smarch']) {
    assert.equal(shown(text), null, text)
  }
})

test('a title gives its person, labels, priority and date away, and keeps the rest', () => {
  const { due_at, ...read } = readTitle('Call @ada about the hull #urgent-ish #docs !high in 2 weeks', people, now)
  assert.deepEqual(read, {
    title: 'Call about the hull',
    assignee: 'usr_1',
    labels: ['urgent-ish', 'docs'],
    priority: 'high',
  })
  assert.equal(new Date((due_at ?? 0) * 1000).toDateString(), new Date(2026, 11, 9).toDateString())
  assert.equal(readTitle('Send the bill due fri', people, now).title, 'Send the bill')
})

test('what is not understood stays in the title', () => {
  for (const title of ['Ask @stranger', 'Mail @a', 'Fix #12', 'Wow !really', 'Call Tom', 'tomorrow', 'Wait 2 weeks']) {
    const { due_at, ...read } = readTitle(title, people, now)
    assert.deepEqual([read.title, read.assignee, read.labels, due_at], [title, null, [], null])
  }
})
