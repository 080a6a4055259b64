/** Chips and the text of a filter say the same, in both directions. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Expression, parseFilter } from '../../server/src/resources/tasks/filter/parse.ts'
import {
  type Chip,
  type ChipValue,
  chipsOf,
  chipText,
  type Operator,
  textOf,
  tidyChips,
} from '../src/app/filter/chips.ts'
import { dayChip, lastingFilter, weekOf } from '../src/app/filter/days.ts'
import { filterFields } from '../src/app/filter/fields.ts'

const rounds = 3000
let seed = 20_261_123
/** The same sequence in every run. */
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const words = [
  'todo',
  'in_progress',
  'me',
  'none',
  'high',
  'usr_01JABCDEFGHJKMNPQRSTVWXYZ0',
  'HAR-4',
  'true',
  '-5',
  '3.5',
]
const texts = [
  'Booking app',
  'ada@example.com',
  'say "hi"',
  "it's",
  'back\\slash',
  'line\nbreak\ttab',
  'AND',
  '',
  '(a, b)',
  'é',
]
const times = ['2026-12-01', 'today+2w', 'now-7d', 'now', '1785844800', '2026-12-01T09:00:00+02:00']

const word = (): ChipValue => ({ text: pick(words), quoted: false })
const value = (): ChipValue => (random() < 0.5 ? word() : { text: pick(texts), quoted: true })
const time = (): ChipValue => ({ text: pick(times), quoted: random() < 0.2 })
const values = (of: () => ChipValue) => Array.from({ length: 1 + Math.floor(random() * 3) }, of)

function chip(): Chip {
  const property = pick([
    'status',
    'assignee',
    'project',
    'priority',
    'labels',
    'title',
    'text',
    'due_at',
    'created',
    'custom_fields.points',
  ])
  const one = (operator: Operator): Chip => {
    const isDate = property === 'due_at' || property === 'created'
    return {
      property,
      operator,
      values: [isDate ? time() : property === 'text' ? { text: pick(texts), quoted: true } : value()],
    }
  }
  if (property === 'text') return one(pick(['contains', 'lacks']))
  if (property === 'labels')
    return random() < 0.5
      ? one(pick(['is', 'is_not']))
      : { property, operator: pick(['any_of', 'none_of']), values: values(value) }
  if (property === 'due_at' && random() < 0.2) return { property, operator: 'overdue', values: [] }
  if (random() < 0.15) return { property, operator: pick(['empty', 'not_empty']), values: [] }
  if (property === 'title') return one(pick(['contains', 'lacks', 'is', 'is_not']))
  if (property === 'due_at' || property === 'created') {
    const operator = pick<Operator>(['is', 'is_not', 'before', 'until', 'after', 'from', 'within'])
    return operator === 'within' ? { property, operator, values: [time(), time()] } : one(operator)
  }
  if (property === 'custom_fields.points') {
    const operator = pick<Operator>(['is', 'is_not', 'contains', 'before', 'from', 'within', 'any_of', 'none_of'])
    if (operator === 'within') return { property, operator, values: [value(), value()] }
    return operator === 'any_of' || operator === 'none_of'
      ? { property, operator, values: values(value) }
      : one(operator)
  }
  if (property === 'priority' && random() < 0.3) return one(pick(['from', 'until', 'before', 'after']))
  return random() < 0.5
    ? one(pick(['is', 'is_not']))
    : { property, operator: pick(['any_of', 'none_of']), values: values(value) }
}

/** What a text means: its comparisons without their places, joined by AND in any order. `!=` is NOT `=`. */
function meaning(text: string): unknown {
  const parsed = parseFilter(text)
  assert.ok(parsed.ok, `${text}: ${parsed.ok ? '' : parsed.message}`)
  const operands = parsed.expression.kind === 'and' ? parsed.expression.operands.flatMap(flat) : [parsed.expression]
  return operands.map((each) => JSON.stringify(plain(each))).toSorted()
}

function flat(expression: Expression): Expression[] {
  return expression.kind === 'and' ? expression.operands.flatMap(flat) : [expression]
}

function plain(expression: Expression): unknown {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { [expression.kind]: expression.operands.map(plain) }
    case 'not':
      return { not: plain(expression.operand) }
    case 'phrase':
      return { phrase: expression.text }
    default: {
      const {
        path,
        comparator,
        value: { text, quoted },
      } = expression
      const equals = { path, comparator: comparator === '!=' ? '=' : comparator, text, quoted }
      return comparator === '!=' ? { not: equals } : equals
    }
  }
}

describe('chips of a filter', () => {
  it('return unchanged from their text, which the API understands', () => {
    for (let round = 0; round < rounds; round++) {
      const chips = tidyChips(Array.from({ length: Math.floor(random() * 5) }, chip))
      const text = textOf({ chips, advanced: '' })
      assert.deepEqual(chipsOf(text), { chips, advanced: '' }, text)
      assert.ok(parseFilter(text).ok, text)
    }
  })

  it('keep the meaning of any text', () => {
    const pieces = [
      '(a OR status = done)',
      '-"x y"',
      'status = (todo OR done)',
      'NOT (due_at < now)',
      'key = HAR-4',
      'due_at:*',
      'a OR b',
      'word',
      "title = 'x'",
      '-labels:paper',
      'NOT status = todo',
      'status=todo',
      'priority>=high',
      'labels IN (a,"b c")',
      'custom_fields.stage IN ("opt_1", idea)',
      'NOT custom_fields.points IN (1, 2.5)',
      'custom_fields.shipped = true',
      'custom_fields.due >= today custom_fields.due <= today+6d',
    ]
    for (let round = 0; round < rounds; round++) {
      const parts = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
        random() < 0.5 ? pick(pieces) : chipText(chip()),
      )
      const text = parts.join(pick([' ', ' AND ', '  ']))
      const again = textOf(chipsOf(text))
      assert.deepEqual(meaning(again), meaning(text), `${text} became ${again}`)
      assert.deepEqual(chipsOf(again).chips, chipsOf(text).chips)
    }
  })

  it('leave a faulty text as it is', () => {
    const faulty = [
      'status = = done',
      'status =',
      '(a',
      'a)',
      'NOT',
      'a OR',
      'AND a',
      'a AND',
      '"open',
      'status IN (todo',
      'status IN ()',
      'x, y',
      'a."b"',
      'NOT NOT a',
      'fn(x)',
      '"a\\q"',
      '- a',
    ]
    for (const text of faulty) {
      assert.equal(parseFilter(text).ok, false, text)
      assert.deepEqual([textOf(chipsOf(text)), parseFilter(textOf(chipsOf(text))).ok], [text, false])
    }
  })

  it('say what the examples of the reference mean', () => {
    const { chips, advanced } = chipsOf(
      'priority >= high labels:docs -labels:paper assignee = null (due_at < now OR status = blocked)',
    )
    assert.deepEqual(
      chips.map(({ property, operator, values: given }) => [property, operator, ...given.map(({ text }) => text)]),
      [
        ['priority', 'from', 'high'],
        ['labels', 'is', 'docs'],
        ['labels', 'is_not', 'paper'],
        ['assignee', 'empty'],
      ],
    )
    assert.equal(advanced, '(due_at < now OR status = blocked)')
    assert.deepEqual(chipsOf('due_at < now NOT status IN (done, canceled)').chips, [
      { property: 'due_at', operator: 'overdue', values: [] },
    ])
  })

  it('say a calendar date of a custom field as a date, and a picked day of a task as its moments', () => {
    assert.equal(chipText(dayChip('custom_fields.launch', 'within', '2026-12-01')), 'custom_fields.launch = 2026-12-01')
    assert.equal(chipText(dayChip('custom_fields.launch', 'after', '2026-12-01')), 'custom_fields.launch > 2026-12-01')
    assert.match(
      chipText(dayChip('due_at', 'is', '2026-12-01')),
      /^due_at >= 2026-12-01T00:00:00\S+ due_at <= 2026-12-01T23:59:59\S+$/,
    )
  })
})

describe('a filter that is kept', () => {
  const now = Date.parse('2026-11-24T12:00:00Z') / 1000
  const weekText = (property: string) => chipText({ property, operator: 'within', values: weekOf(property, now) })

  it('counts days from today in place of "This week", and keeps everything else', () => {
    const text = `status = todo ${weekText('due_at')} (title:a OR title:b)`
    const lasting = lastingFilter(text, now)
    assert.equal(lasting.text, 'status = todo due_at >= today due_at <= today+6d (title:a OR title:b)')
    assert.equal(lasting.period, 'Next 7 days')
    assert.equal(
      weekText('custom_fields.launch'),
      'custom_fields.launch >= 2026-11-23 custom_fields.launch <= 2026-11-29',
    )
    assert.equal(
      lastingFilter(weekText('custom_fields.launch'), now).text,
      'custom_fields.launch >= today custom_fields.launch <= today+6d',
    )
  })

  it('looks back where days lie only behind', () => {
    assert.deepEqual(lastingFilter(weekText('created'), now), {
      text: 'created >= today-6d created <= today',
      period: 'Last 7 days',
    })
  })

  it('is unchanged without "This week", also with the week before', () => {
    const lastWeek = chipText({ property: 'due_at', operator: 'within', values: weekOf('due_at', now - 7 * 86_400) })
    for (const text of ['', 'status = todo AND due_at < now', 'status = =', lastWeek]) {
      assert.deepEqual(lastingFilter(text, now), { text, period: null })
    }
  })
})

describe('custom fields of a filter', () => {
  const field = (
    workspace: string,
    key: string,
    type: string,
    options: readonly { id: string; name: string }[] = [],
  ) => ({
    ...{ id: `cfd_${workspace}${key}`, object: 'custom_field' as const, created: 0, updated: 0, revision: 1 },
    ...{ workspace, key, name: `${key} of ${workspace}`, type, position: 1 },
    options: options.map((each) => ({ ...each, color: null })),
  })
  const workspaces = [
    { id: 'a', title: 'Harbour' },
    { id: 'b', title: 'Office' },
  ]

  it('keep a key without a type where workspaces give it different ones', () => {
    const fields = filterFields([field('a', 'size', 'number'), field('b', 'size', 'text')], workspaces, undefined)
    assert.deepEqual(
      fields.map(({ key, type, isOffered }) => [key, type, isOffered]),
      [['size', null, true]],
    )
  })

  it('are offered in their workspace, and named in all', () => {
    const all = [field('a', 'size', 'number'), field('b', 'stage', 'select', [{ id: 'x', name: 'Idea' }])]
    assert.deepEqual(
      filterFields(all, workspaces, 'a').map(({ key, name, isOffered }) => [key, name, isOffered]),
      [
        ['size', 'size of a', true],
        ['stage', 'stage of b', false],
      ],
    )
  })

  it('have the options of all workspaces, each once, with the workspaces that have it', () => {
    const [idea, live, done] = [
      { id: 'x', name: 'Idea' },
      { id: 'y', name: 'Live' },
      { id: 'x', name: 'Thought' },
    ]
    const fields = [field('a', 'stage', 'select', [idea, live]), field('b', 'stage', 'select', [done])]
    assert.deepEqual(filterFields(fields, workspaces, undefined)[0]?.options, [
      { id: 'x', names: ['Idea', 'Thought'], color: null, hint: 'Harbour, Office' },
      { id: 'y', names: ['Live'], color: null, hint: 'Harbour' },
    ])
  })
})
