import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, readFilter } from './check.ts'

function meaningOf(filter: string): Condition {
  const checked = readFilter(filter, now)
  assert.ok(checked.ok, checked.ok ? '' : checked.message)
  return checked.condition
}

const never: Condition = { kind: 'constant', holds: false }
const not = (operand: Condition): Condition => ({ kind: 'not', operand })
/** 2026-12-02T12:48:43.999Z. */
const now = 1_796_215_723_999
const time = (comparator: '<' | '<=' | '=' | '>=' | '>', from: number, length: number): Condition => {
  return { kind: 'time', column: 'due_at', comparator, from, until: from + length }
}
const points = (test: (Condition & { kind: 'custom' })['test']): Condition => ({ kind: 'custom', key: 'points', test })

const meanings: [filter: string, condition: Condition][] = [
  ['', { kind: 'and', operands: [] }],
  ['Report', { kind: 'phrase', text: 'Report' }],
  ['null', { kind: 'phrase', text: 'null' }],
  ['is_archived', { kind: 'phrase', text: 'is_archived' }],
  ['title:Report', { kind: 'contains', column: 'title', text: 'Report' }],
  ['title:*', { kind: 'contains', column: 'title', text: '*' }],
  ['title = 007', { kind: 'equals', column: 'title', value: '007' }],
  ['title >= true', { kind: 'title_order', comparator: '>=', value: 'true' }],
  ['description != "x"', not({ kind: 'equals', column: 'description', value: 'x' })],
  ['description = null', { kind: 'null', column: 'description' }],
  ['description != null', not({ kind: 'null', column: 'description' })],
  ['description:null', never],
  ['description:"null"', { kind: 'contains', column: 'description', text: 'null' }],
  ['title = null', never],
  ['title != null', not(never)],
  ['title < null', never],
  ['status:done', { kind: 'equals', column: 'status', value: 'done' }],
  ['status = "in_review"', { kind: 'equals', column: 'status', value: 'in_review' }],
  ['status:*', not(never)],
  ['priority >= high', { kind: 'rank', comparator: '>=', rank: 3 }],
  ['priority:low', { kind: 'rank', comparator: '=', rank: 1 }],
  ['priority != "urgent"', not({ kind: 'rank', comparator: '=', rank: 4 })],
  ['priority > null', never],
  ['assignee = null', { kind: 'null', column: 'assignee' }],
  ['assignee = none', { kind: 'null', column: 'assignee' }],
  ['project != none', not({ kind: 'null', column: 'project' })],
  ['assignee = "null"', { kind: 'reference', column: 'assignee', text: 'null', quoted: true, position: 12 }],
  ['assignee = ada@x.org', { kind: 'reference', column: 'assignee', text: 'ada@x.org', quoted: false, position: 12 }],
  ['assignee = me', { kind: 'reference', column: 'assignee', text: 'me', quoted: false, position: 12 }],
  ['project:"Ship it"', { kind: 'reference', column: 'project', text: 'Ship it', quoted: true, position: 9 }],
  ['assignee:null', never],
  ['project:*', not({ kind: 'null', column: 'project' })],
  ['column = col_1', { kind: 'equals', column: 'column', value: 'col_1' }],
  ['key:KEP-4', { kind: 'equals', column: 'key', value: 'KEP-4' }],
  ['key = kep-4', { kind: 'equals', column: 'key', value: 'KEP-4' }],
  ['labels:bug', { kind: 'label', value: 'bug' }],
  ['labels:"*"', { kind: 'label', value: '*' }],
  ['labels:*', not({ kind: 'unlabelled' })],
  ['labels = null', { kind: 'unlabelled' }],
  ['labels != null', not({ kind: 'unlabelled' })],
  ['labels:null', never],
  ['due_at:5', { kind: 'time', column: 'due_at', comparator: '=', from: 5, until: 6 }],
  ['created > -1', { kind: 'time', column: 'created', comparator: '>', from: -1, until: 0 }],
  ['updated <= 1.79e9', { kind: 'time', column: 'updated', comparator: '<=', from: 1_790_000_000, until: 1790000001 }],
  ['due_at < 2026-12-01', time('<', 1_796_083_200, 86_400)],
  ['due_at = "2026-12-01"', time('=', 1_796_083_200, 86_400)],
  ['due_at >= 2026-12-01T09:00:00Z', time('>=', 1_796_115_600, 1)],
  ['due_at:2026-12-01T11:00+02:00', time('=', 1_796_115_600, 1)],
  ['due_at <= 2026-12-01T09:00:00.999Z', time('<=', 1_796_115_600, 1)],
  ['due_at > now', time('>', 1_796_215_723, 1)],
  ['due_at = today', time('=', 1_796_169_600, 86_400)],
  ['due_at > now-7d', time('>', 1_796_215_723 - 7 * 86_400, 1)],
  ['due_at < today+2w', time('<', 1_796_169_600 + 14 * 86_400, 86_400)],
  ['due_at < today+9h', time('<', 1_796_169_600 + 9 * 3600, 1)],
  [
    'due_at IN (null, 5)',
    {
      kind: 'or',
      operands: [
        { kind: 'null', column: 'due_at' },
        { kind: 'time', column: 'due_at', comparator: '=', from: 5, until: 6 },
      ],
    },
  ],
  [
    'NOT status IN (todo, done)',
    not({
      kind: 'or',
      operands: [
        { kind: 'equals', column: 'status', value: 'todo' },
        { kind: 'equals', column: 'status', value: 'done' },
      ],
    }),
  ],
  ['labels IN (bug)', { kind: 'label', value: 'bug' }],
  ['completed_at = null', { kind: 'null', column: 'completed_at' }],
  ['created = null', never],
  ['due_at < null', never],
  ['is_archived = true', { kind: 'archived', value: true }],
  ['is_archived != false', not({ kind: 'archived', value: false })],
  ['is_archived = null', never],
  ['custom_fields.points = 5', points({ kind: 'equals', value: { text: '5', number: 5, truth: null } })],
  ['custom_fields.points = "5"', points({ kind: 'equals', value: { text: '5', number: null, truth: null } })],
  ['custom_fields.points:true', points({ kind: 'has', value: { text: 'true', number: null, truth: true } })],
  ['custom_fields.points != x', not(points({ kind: 'equals', value: { text: 'x', number: null, truth: null } }))],
  ['custom_fields.points > 2.5', points({ kind: 'order', comparator: '>', value: 2.5 })],
  ['custom_fields.points > "2.5"', points({ kind: 'order', comparator: '>', value: '2.5' })],
  ['custom_fields.points < abc', points({ kind: 'order', comparator: '<', value: 'abc' })],
  ['custom_fields.points = null', points({ kind: 'absent' })],
  ['custom_fields.points:*', not(points({ kind: 'absent' }))],
  ['custom_fields.points >= null', never],
  ['status = (todo OR null)', { kind: 'or', operands: [{ kind: 'equals', column: 'status', value: 'todo' }, never] }],
]

for (const [filter, condition] of meanings) {
  test(`the filter ${filter} means ${JSON.stringify(condition)}`, () => {
    assert.deepEqual(meaningOf(filter), condition)
  })
}

const names =
  'title, description, status, priority, assignee, project, column, parent, team, labels, key, created, updated, start_at, due_at, ' +
  'completed_at, is_archived or custom_fields.<key>'
const noField = (name: string) => `Cannot filter by "${name}"`
const noKey =
  'Write a custom field as custom_fields.<key>; a key is a lowercase letter, then at most 39 of a-z, 0-9 and _'
const noTime = (name: string, value: string) => `${name} cannot be "${value}"`
const forms =
  'Use Unix seconds, a date (2026-12-01), an instant (2026-12-01T09:00:00Z), now, today, or an offset such as now-7d or ' +
  'today+2w (units h, d, w).'
const ranks = 'Use none, low, medium, high or urgent.'

const refusals: [filter: string, reason: string, position: number, advice?: string][] = [
  ['colour = red', noField('colour'), 1, `Use ${names}.`],
  ['a (b OR -id = x)', noField('id'), 10, `Use ${names}.`],
  ['Status = done', noField('Status'), 1, `Did you mean status? Use ${names}.`],
  ['asignee = me', noField('asignee'), 1, `Did you mean assignee? Use ${names}.`],
  ['constructor = x', noField('constructor'), 1, `Use ${names}.`],
  ['__proto__:x', noField('__proto__'), 1, `Use ${names}.`],
  ['project.name = x', noField('project.name'), 1, `Use ${names}.`],
  [`😀 ${'x'.repeat(60)} = 1`, noField(`${'x'.repeat(40)}…`), 3, `Use ${names}.`],
  ['custom_fields = x', noKey, 1],
  ['custom_fields:points', noKey, 1],
  ['custom_fields.Points = 1', noKey, 1],
  ['custom_fields.a.b = 1', noKey, 1],
  ['custom_fields."a b" = 1', noKey, 1],
  [`custom_fields.${'a'.repeat(41)} = 1`, noKey, 1],
  ['custom_fields._x = null', noKey, 1],
  ['description > a', 'description does not take >; it takes =, !=, : and IN', 13],
  ['status < done', 'status does not take <; it takes =, !=, : and IN', 8],
  ['assignee >= null', 'assignee does not take >=; it takes =, !=, : and IN', 10],
  ['key <= KEP-4', 'key does not take <=; it takes =, !=, : and IN', 5],
  ['is_archived > true', 'is_archived does not take >; it takes =, !=, : and IN', 13],
  ['labels = bug', 'labels does not take =; it takes : and IN, and null with = or !=', 8],
  ['labels != bug', 'labels does not take !=; it takes : and IN, and null with = or !=', 8],
  ['labels > null', 'labels does not take >; it takes : and IN, and null with = or !=', 8],
  ['is_archived = yes', 'is_archived cannot be "yes"', 15, 'Use true or false.'],
  ['is_archived = "true"', 'is_archived cannot be "true"', 15, 'Use true or false.'],
  ['is_archived = 1', 'is_archived cannot be "1"', 15, 'Use true or false.'],
  ['due_at < tomorrow', noTime('due_at', 'tomorrow'), 10, forms],
  ['due_at < "1790000000"', noTime('due_at', '1790000000'), 10, forms],
  ['due_at < 1.5', noTime('due_at', '1.5'), 10, forms],
  ['created = 2026-02-30', noTime('created', '2026-02-30'), 11, forms],
  ['created = 2026-02-30T09:00:00Z', noTime('created', '2026-02-30T09:00:00Z'), 11, forms],
  ['created = 2026-02-03T25:00:00Z', noTime('created', '2026-02-03T25:00:00Z'), 11, forms],
  ['created > now-7', noTime('created', 'now-7'), 11, forms],
  ['created > now-7m', noTime('created', 'now-7m'), 11, forms],
  ['updated != 8640000000001', noTime('updated', '8640000000001'), 12, forms],
  ['completed_at:true', noTime('completed_at', 'true'), 14, forms],
  ['due_at < 1e999', 'This number is too large', 10],
  ['custom_fields.points = 1e999', 'This number is too large', 24],
  ['priority > High', 'priority cannot be "High"', 12, `Did you mean high? ${ranks}`],
  ['priority <= 3', 'priority cannot be "3"', 13, ranks],
  ['priority = critical', 'priority cannot be "critical"', 12, ranks],
  [
    'NOT status IN (todo, doen)',
    'status cannot be "doen"',
    22,
    'Did you mean done? Use backlog, todo, in_progress, in_review, blocked, done or canceled.',
  ],
  ['key = 4', 'key cannot be "4"', 7, 'Use the key of a task, such as KEP-42.'],
  ['due_at < today 2w', '"today 2w" has a space', 10, 'Write today+2w; in a URL, encode + as %2B.'],
  ['custom_fields.points > true', 'true and false have no order', 24],
  ['status = (todo OR done) due_at = (1 OR x)', noTime('due_at', 'x'), 40, forms],
]

for (const [filter, reason, position, advice] of refusals) {
  test(`the filter ${filter.slice(0, 60)} is refused at character ${position}`, () => {
    const message = `${reason} (at character ${position}).${advice === undefined ? '' : ` ${advice}`}`
    assert.deepEqual(readFilter(filter, now), { ok: false, message, position })
  })
}

test('a syntax error is reported before a fault of a field', () => {
  const checked = readFilter('colour = red (', 0)
  assert.deepEqual(checked.ok ? null : checked.position, 15)
})

test('a filter reports whether it uses the field is_archived at any depth', () => {
  const names = (filter: string) => {
    const checked = readFilter(filter, now)
    return checked.ok && checked.names_is_archived
  }
  assert.equal(names('is_archived = true'), true)
  assert.equal(names('a OR NOT (b AND (is_archived != false OR c))'), true)
  assert.equal(names('is_archived = null'), true)
  assert.equal(names('"is_archived":(true OR false)'), true)
  assert.equal(names('is_archived'), false)
  assert.equal(names('title:is_archived custom_fields.is_archived = true'), false)
  assert.equal(names(''), false)
})
