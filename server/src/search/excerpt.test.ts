import assert from 'node:assert/strict'
import { it } from 'node:test'
import { excerptOf } from './excerpt.ts'
import { readSearchQuery, type SearchQuery, type Term } from './search-query.ts'

const queryOf = (text: string) => readSearchQuery(text) as SearchQuery

it('a term that a query repeats counts once', () => {
  const { terms, excluded } = queryOf('log -x log "log" -x log "log log" log')
  assert.deepEqual(terms, [
    { words: ['log'], isPrefix: false },
    { words: ['log', 'log'], isPrefix: false },
    { words: ['log'], isPrefix: true },
  ])
  assert.deepEqual(excluded, [{ words: ['x'], isPrefix: false }])
})

it('an excerpt marks each match of each term inside of it, and overlapping ones as one', () => {
  const { excerpt, highlights } = excerptOf(
    'See the audit log of the audits, and "audit log file".',
    queryOf('"audit log" "log file" aud'),
  )
  assert.deepEqual(
    highlights.map(([start, end]) => excerpt.slice(start, end)),
    ['audit log', 'audits', 'audit log file'],
  )
  const long = excerptOf(`${'word '.repeat(100)}audit, ${'word '.repeat(100)}audit`, queryOf('audit'))
  assert.deepEqual(
    long.highlights.map(([start, end]) => long.excerpt.slice(start, end)),
    ['audit'],
  )
  assert.deepEqual(excerptOf('Nothing of it', queryOf('audit')), { excerpt: 'Nothing of it', highlights: [] })
})

it('the steps to an excerpt do not grow with the number of terms and of their matches', () => {
  let looks = 0
  const counted = (word: string): Term => ({
    isPrefix: false,
    get words() {
      looks++
      return [word]
    },
  })
  const letters = Array.from({ length: 90 }, (_, i) => String.fromCodePoint(0x4e00 + i))
  const terms = [...letters, 'a'].map(counted)
  const search = { terms, excluded: [], keys: [] }
  excerptOf('b '.repeat(32_000), search)
  excerptOf('a '.repeat(32_000), search)
  assert.ok(looks < 2000, `${looks} looks at terms`)
})
