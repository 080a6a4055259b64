import assert from 'node:assert/strict'
import test from 'node:test'
import { ExpressionFailure } from './expressions/failure.ts'
import { namesWith } from './expressions/types.ts'
import { compileExpression, type Variables } from './expressions.ts'
import { automation_limits } from './limits.ts'

const names = namesWith({ hook: 'http_json', decide: 'condition', quiet: null })

const task = {
  id: 'tsk_1',
  title: 'Brücke bauen',
  description: 'a'.repeat(60_000),
  status: 'todo',
  due_at: null,
  labels: ['security', 'ops'],
  creator: { type: 'user', id: 'usr_1' },
  blocks: [{ id: 'tsk_2', key: 'PIER-2', title: 'Open', status: 'todo' }],
  blocked_by: [],
  custom_fields: { size: 3, ratio: 0.5, constructor: 'mine', list: ['x', 'y'] },
}

const variables: Variables = {
  task,
  event: { type: 'workflow.task.updated', data: { object: { status: 'todo', points: 8 }, previous_attributes: null } },
  before: null,
  item: Array.from({ length: 1000 }, (_, i) => `item ${i}`),
  index: 2,
  now: 1_700_000_000,
  run: { id: 'run_1', trigger: 'start', started_at: 1, depth: 0 },
  steps: {
    hook: { status: 'succeeded', output: { status: 200, body: { rows: [1, 2, { a: null }] } } },
    decide: { status: 'skipped', output: null },
    quiet: { status: 'succeeded', output: null },
  },
}

/** The value, or the fault of the source (`refused: …`) or the failure with this data (`code: …`). */
function outcome(source: string, data: Variables = variables): unknown {
  const compiled = compileExpression(source, names)
  if (!compiled.ok) return `refused at ${compiled.fault.start}: ${compiled.fault.message}`
  try {
    return compiled.expression.evaluate(data)
  } catch (error) {
    assert.ok(error instanceof ExpressionFailure)
    return `${error.code}: ${error.message}`
  }
}

const values: Readonly<Record<string, unknown>> = {
  "task.status == 'todo' && 'security' in task.labels": true,
  'task.labels.exists(l, l.startsWith("sec"))': true,
  'task.labels.filter(l, l != "ops")': ['security'],
  'task.labels.map(l, l.upperAscii())': ['SECURITY', 'OPS'],
  'task.labels.all(l, size(l) > 2) && task.labels.exists_one(l, l == "ops")': true,
  'task.blocks[0].key': 'PIER-2',
  'task.blocks.map(b, b.title)': ['Open'],
  'size(task.blocked_by) > 0 ? task.blocked_by[0].title : ""': '',
  'task.due_at == null': true,
  'task.due_at != null && task.due_at < now': false,
  'now > 3 ? dyn(task.due_at) : "never"': null,
  'task.custom_fields.size + 1': 4,
  'task.custom_fields.ratio': 0.5,
  'task.custom_fields.constructor': 'mine',
  'has(task.custom_fields.nothing)': false,
  'has(steps.hook.output) && !has(steps.decide.output)': true,
  'steps.hook.output.body.rows[2].a': null,
  'steps["decide"].status': 'skipped',
  'event.data.object.points / 3': 2,
  'before == null': true,
  '2.5 * 2.0': 5,
  '7 % 4 - 9': -6,
  "{'task': task.id, 'all': [now, null, 'x']}": { task: 'tsk_1', all: [1_700_000_000, null, 'x'] },
  'timestamp(now).getDayOfWeek()': 2,
  "rematch(task.title, '^Br.cke')": true,
  'string(index) + ". " + item[1]': '2. item 1',
  "task.title.split(' ').join('-')": 'Brücke-bauen',
  'task.creator': { type: 'user', id: 'usr_1' },
  '9007199254740991': 9_007_199_254_740_991,
  'false && 1 / 0 == 1': false,
}

test('expressions give the values of JSON', () => {
  for (const [source, value] of Object.entries(values)) assert.deepEqual(outcome(source), value, source)
})

const refused: Readonly<Record<string, string>> = {
  '': 'refused at 0: Unexpected token: EOF',
  'task.titel': 'refused at 5: No such key: titel',
  'tsk.title': 'refused at 0: Unknown variable',
  'task.title + 1': 'refused at 0: no such overload: string + int',
  'task.title &&': 'refused at 13: Unexpected token: EOF',
  'steps.hook.output.rows': 'refused at 18: No such key: rows',
  'steps.quiet.output': 'refused at 12: No such key: output',
  'steps.nope.status': 'refused at 6: No such key: nope',
  'size(steps)': 'refused at 5: steps must be followed by the id of a step',
  'steps[task.title].status': 'refused at 0: steps must be followed by the id of a step as a literal',
  'timestamp(now)': 'refused at 0: The expression gives a timestamp; use its Unix seconds',
  "timestamp('2026-08-03T00:00:00').getHours()": 'refused at 0: timestamp() takes an int: Unix seconds',
  '18446744073709551615': 'refused at 0: The number is too large',
  "b'bytes'": 'refused at 0: Bytes and unsigned numbers are not supported',
  '1u': 'refused at 0: Bytes and unsigned numbers are not supported',
  'size()': 'refused at 0: size() takes 1 argument',
}

test('the fault of a source names its position', () => {
  for (const [source, message] of Object.entries(refused)) {
    const expected = message.replace('Unknown variable', 'Unknown variable tsk')
    assert.equal(outcome(source), expected, source)
  }
})

const failing: Readonly<Record<string, string>> = {
  'task.due_at < now': 'evaluation_failed: no such overload: null < int',
  'steps.decide.output.result': 'evaluation_failed: No such key: output',
  'event.sequence': 'evaluation_failed: No such key: sequence',
  'task.custom_fields.nothing': 'evaluation_failed: No such key: nothing',
  '1 / (now - now)': 'evaluation_failed: division by zero',
  '9223372036854775807 + now': 'evaluation_failed: integer overflow: 9223372038554775807',
  '9007199254740991 + 1': 'not_exact: The integer is too large for JSON to represent exactly',
  '1.0 / 0.0': 'not_exact: The number is not finite',
  "'\u{1f602}'.substring(0, 1)": 'no_json: The text contains an unpaired surrogate or U+0000',
  "'\\x00'": 'no_json: The text contains an unpaired surrogate or U+0000',
}

test('a failure with some data is an ExpressionFailure', () => {
  for (const [source, message] of Object.entries(failing)) assert.equal(outcome(source), message, source)
  assert.equal(outcome('event.type', { ...variables, event: null }), 'evaluation_failed: Missing variable event')
  assert.equal(outcome("run.trigger == 'start' || event.type == ''", { ...variables, event: null }), true)
})

const deep = (open: string, close: string, n: number) => `${open.repeat(n)}1${close.repeat(n)}`
const bigList = Array.from({ length: 9000 }, (_, i) => i)

/** Hostile sources with the beginning of their refusals. */
const hostile: Readonly<Record<string, string>> = {
  // Prototypes and internals of the library
  'task.__proto__': 'refused at 5: No such key',
  "item['__proto__']": 'evaluation_failed: No such key',
  'item.constructor': 'evaluation_failed: No such key',
  'task.custom_fields.toString': 'evaluation_failed: No such key',
  "event.data.object['constructor']": 'evaluation_failed: No such key',
  __proto__: 'refused at 0: Reserved identifier',
  'constructor.constructor': 'refused at 0: Unknown variable',
  'globalThis.process': 'refused at 0: Unknown variable',
  'this.x': 'refused at 0: Unknown variable',
  google: 'refused at 0: Unknown variable',
  string: 'refused at 0: Unknown variable',
  'type(task)': 'refused at 0: Unknown function type()',
  'cel.bind(x, 1, x)': 'refused at 0: Unknown function bind()',
  'optional.of(1)': 'refused at 0: Unknown function of()',
  "bytes('x').json()": 'refused at 0: Unknown function json()',
  "task.title.at(0).call('x')": 'refused at 0: Unknown function call()',
  "timestamp(now).getHours('Mars/Olympus')": 'refused at 0: getHours() takes 0 arguments',
  "duration('9'.lowerAscii())": 'refused at 0: Unknown function duration()',
  // Patterns
  "task.description.matches('(a+)+$')": 'refused at 0: Unknown function matches()',
  'rematch(task.title, task.title)': 'refused at 20: The pattern of rematch() must be a literal',
  "rematch('a', '((a{30}){30}){30}')": 'refused at 13: The pattern repeats too much',
  "rematch('a', 'a{1000}{1000}')": 'refused at 13: The pattern repeats too much',
  [`rematch('a', '${'(a{9}){9}'.repeat(20)}')`]: 'refused at 13: The pattern repeats too much',
  [`rematch('a', r'${'\\pL{50}'.repeat(20)}')`]: 'refused at 13: The pattern repeats too much',
  [`rematch('a', '${'a'.repeat(257)}')`]: 'refused at 13: The pattern is too long',
  "rematch('a', '(?=a)')": 'refused at 13: The pattern is wrong',
  "rematch(task.description, '[a-z]{60}[0-9]')": 'too_costly: ',
  // Depth and size of the source
  [deep('(', ')', 400)]: 'refused at ',
  [deep('[', ']', 400)]: 'refused at ',
  [deep('!', '', 900)]: 'refused at ',
  [deep('-', '', 900)]: 'refused at ',
  [`1${'+1'.repeat(500)}`]: 'refused at ',
  [`task${'.a'.repeat(400)}`]: 'refused at ',
  [`[${'1,'.repeat(400)}1]`]: 'refused at ',
  [`{${'"a":1,'.repeat(150)}}`]: 'refused at ',
  [`'${'x'.repeat(1023)}'`]: 'refused at 0: The expression is too long',
  [`size(${Array.from({ length: 300 }, () => 'a').join()})`]: 'refused at ',
  // Loops in loops
  '[1, 2].map(x, [1, 2].map(y, y))': 'refused at 14: map() must not be inside another',
  'item.exists(x, item.exists(y, item.exists(z, false)))': 'refused at 15: exists() must not be inside another',
  // Growth
  [`[${Array(11).fill('item').join()}]`]: 'too_large: A value gets too large',
  [`item${'.map(x, [x, x])'.repeat(40)}`]: 'too_costly: ',
  [`task.description${' + task.description'.repeat(40)}`]: 'too_large: A text gets too long',
  'item.map(x, task.description + x)': 'too_costly: ',
  'item.map(x, task.description)': 'too_costly: ',
  'item.map(x, item)': 'too_costly: ',
  'item.join(task.description)': 'too_large: Only texts of 128 characters are searched for',
  "task.description.split('')": 'too_large: The text is too long to be split',
  // Work
  'item.filter(x, x in item)': 'too_costly: ',
  'item.all(x, item == item)': 'too_costly: ',
  'item.exists(x, task.description.contains(x))': 'too_costly: ',
  'task.description.contains(task.description)': 'too_large: Only texts of 128 characters are searched for',
  [`item.exists(x, ${Array(40).fill('x.y').join(' || ')})`]: 'too_costly: ',
  [`item.exists(x, true && ${Array(40).fill('x.size() == 0').join(' || ')})`]: 'too_costly: ',
}

test('hostile expressions are refused, each within a bounded amount of work', () => {
  for (const [source, message] of Object.entries(hostile)) {
    const result = outcome(source)
    assert.ok(
      typeof result === 'string' && result.startsWith(message),
      `${source.slice(0, 80)} → ${String(result).slice(0, 120)}`,
    )
  }
})

test('an exceeded limit is reported even where operators and comprehensions hide failures', () => {
  const swallowing = `item.exists(x, task.description.contains(x)) || true`
  assert.match(String(outcome(swallowing)), /^too_costly/)
})

test('data is read only up to its limit', () => {
  assert.equal(outcome('item.size()', { ...variables, item: bigList }), 9000)
  const huge = { ...variables, item: Array(automation_limits.automation_data_values_max).fill(0) }
  assert.equal(outcome('item.size()', huge), 'too_large: The data that the expression reads is too large')
  assert.equal(outcome('now', huge), 1_700_000_000)
})

test('data is never code', () => {
  const evil = { ...variables, item: { $expr: 'now', text: '{{ now }}' } }
  assert.deepEqual(outcome('item', evil), { $expr: 'now', text: '{{ now }}' })
})

test('each evaluation of an expression has its own cost', () => {
  const compiled = compileExpression('item.map(x, x + "!").size()', names)
  assert.ok(compiled.ok)
  for (let i = 0; i < 50; i++) assert.equal(compiled.expression.evaluate(variables), 1000)
})
