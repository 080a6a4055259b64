import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../api/limits.ts'
import { type Expression, parseFilter } from './parse.ts'

/** An expression in one line: `&` and, `|` or, `!` not, `~` word or phrase alone; quoted text stays quoted. */
function show(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
      return `(${expression.operands.map(show).join(' & ')})`
    case 'or':
      return `(${expression.operands.map(show).join(' | ')})`
    case 'not':
      return `!${show(expression.operand)}`
    case 'phrase':
      return `~${expression.text}`
    case 'comparison': {
      const { text, quoted } = expression.value
      return `${expression.path.join('/')} ${expression.comparator} ${quoted ? `'${text}'` : text}`
    }
  }
}

const good: [filter: string, shown: string][] = [
  ['', '()'],
  [' \t\n\u00a0', '()'],
  ['report', '~report'],
  ['New York', '(~New & ~York)'],
  ['"New York"', '~New York'],
  ["'New York'", '~New York'],
  ['a AND b', '(~a & ~b)'],
  ['a AND b OR c', '(~a & (~b | ~c))'],
  ['a b OR c d', '(~a & (~b | ~c) & ~d)'],
  ['a OR b AND c OR d', '((~a | ~b) & (~c | ~d))'],
  ['(a AND b) OR c', '((~a & ~b) | ~c)'],
  ['a and b or c', '(~a & ~and & ~b & ~or & ~c)'],
  ['NOT a', '!~a'],
  ['-a', '!~a'],
  ['NOT a OR -b', '(!~a | !~b)'],
  ['-(a OR b)', '!(~a | ~b)'],
  ['NOT (a b)', '!(~a & ~b)'],
  ['NOT (NOT (-a))', '!!!~a'],
  ['-"New York"', '!~New York'],
  ["-'New York'", '!~New York'],
  ['-status = done', '!status = done'],
  ['NOT "-a"', '!~-a'],
  ['-5', '!~5'],
  ['due-date', '~due-date'],
  ['status=done', 'status = done'],
  ['status  !=\tdone', 'status != done'],
  ['due_at<1 due_at<=2 due_at>3 due_at>=4', '(due_at < 1 & due_at <= 2 & due_at > 3 & due_at >= 4)'],
  ['labels:bug', 'labels : bug'],
  ['title = "a b"', "title = 'a b'"],
  ['title = "null"', "title = 'null'"],
  ['assignee = null', 'assignee = null'],
  ['"title" = x', 'title = x'],
  ['custom_fields.points >= -2.5e+3', 'custom_fields/points >= -2.5e+3'],
  ['custom_fields."points" = 1', 'custom_fields/points = 1'],
  ['custom_fields.OR = 1', 'custom_fields/OR = 1'],
  ['version:v1.2', 'version : v1.2'],
  ['example.com', '~example.com'],
  ["don't panic!", "(~don't & ~panic!)"],
  ['a!=b', 'a != b'],
  ['über:Ä😀', 'über : Ä😀'],
  ['"say \\"hi\\", it\\\'s C:\\\\dir\\n\\t\\r"', '~say "hi", it\'s C:\\dir\n\t\r'],
  ['\'say "hi"\'', '~say "hi"'],
  ['""', '~'],
  ['(a)(b)', '(~a & ~b)'],
  ['NOT(a)AND(b)', '(!~a & ~b)'],
  ['status = (todo OR done)', '(status = todo | status = done)'],
  ['status != (todo OR done)', '!(status = todo | status = done)'],
  ['labels:(bug -ui NOT (x OR "y z"))', "(labels : bug & !labels : ui & !(labels : x | labels : 'y z'))"],
  ['custom_fields.points = (-5 OR -2.5)', '(custom_fields/points = -5 | custom_fields/points = -2.5)'],
  [`${'('.repeat(8)}a${')'.repeat(8)}`, '~a'],
  [Array(50).fill('a').join(' OR '), `(${Array(50).fill('~a').join(' | ')})`],
  ['😀'.repeat(2048), `~${'😀'.repeat(2048)}`],
]

const nothing = 'Expected a comparison, a word or a quoted phrase, found'
const only_in_sets = 'A comma is allowed only in quotes and between the values of IN (…)'
const bad: [filter: string, reason: string, position: number][] = [
  ['(a', 'This parenthesis is never closed', 1],
  ['a (b OR (c)', 'This parenthesis is never closed', 3],
  ['a)', 'This parenthesis was never opened', 2],
  ['()', `${nothing} ")"`, 2],
  ['a AND', `${nothing} the end`, 6],
  ['a AND AND b', `${nothing} "AND"`, 7],
  ['AND a', `${nothing} "AND"`, 1],
  ['OR', `${nothing} "OR"`, 1],
  ['a OR ', `${nothing} the end`, 6],
  ['NOT', `${nothing} the end`, 4],
  ['NOT NOT a', 'Two negations in a row need parentheses between them', 5],
  ['--a', 'Two negations in a row need parentheses between them', 2],
  ['NOT -a', 'Two negations in a row need parentheses between them', 5],
  ['a - b', 'A minus must be directly before its operand', 3],
  ['= 5', `${nothing} "="`, 1],
  ['title =', 'Expected a value after "=", found the end', 8],
  ['title = AND b', 'Expected a value after "=", found "AND"', 9],
  ['title == x', 'Expected a value after "=", found "="', 8],
  ['title <> x', 'Expected a value after "<", found ">"', 8],
  ['title = -"x"', 'Expected a value after "=", found "-"', 9],
  ['due_at < created < 5', 'Unexpected "<" after a value; quotes may be missing', 18],
  ['title:http://x', 'Unexpected ":" after a value; quotes may be missing', 11],
  ['status = (todo OR title = x)', 'Unexpected "=" after a value; quotes may be missing', 25],
  ['status = (todo OR)', 'Expected a value, found ")"', 18],
  ['f(x)', 'Functions are not supported', 1],
  ['status IN ()', 'Expected a value, found ")"', 12],
  ['status IN (todo', 'This parenthesis is never closed', 11],
  ['status IN (todo,)', 'Expected a value, found ")"', 17],
  ['status IN (todo done)', 'Expected a comma or ")", found "done"', 17],
  ['status NOT IN (todo)', 'NOT must be before the field: NOT status IN (todo, done)', 8],
  ['a,b', only_in_sets, 2],
  ['title = (a, b)', only_in_sets, 11],
  ['wait...', 'A dot is allowed only between two names and in quotes', 6],
  ['custom_fields. points = 1', 'A dot is allowed only between two names and in quotes', 14],
  ['.5', `${nothing} "."`, 1],
  ['x = a."b"', 'Put the whole value in quotes', 5],
  ['a."b"', 'Put the whole value in quotes', 1],
  ['"a""b"', 'A space is missing; put text that contains quotes into the other kind of quotes', 4],
  ['5"x"', 'A space is missing; put text that contains quotes into the other kind of quotes', 2],
  ['"a"b', 'A space is missing; put text that contains quotes into the other kind of quotes', 4],
  ['title = "x', 'A quote is never closed', 9],
  ["title:'x\\'", 'A quote is never closed', 7],
  ['😀 Ä "x', 'A quote is never closed', 5],
  ['"a\\d"', '"\\d" is not an escape; use \\" \\\' \\\\ \\n \\r \\t', 3],
  ['"\\constructor"', '"\\c" is not an escape; use \\" \\\' \\\\ \\n \\r \\t', 2],
  ['a\0b', 'U+0000 is not allowed', 2],
  ['😀\ud800', 'Half a surrogate pair is not allowed', 2],
  ['"\udc00"', 'Half a surrogate pair is not allowed', 2],
  [`${'('.repeat(9)}a${')'.repeat(9)}`, 'Parentheses nest at most 8 deep', 9],
  [`${'NOT ('.repeat(9)}a${')'.repeat(9)}`, 'Parentheses nest at most 8 deep', 45],
  [Array(51).fill('a').join(' '), 'A filter has at most 50 comparisons', 101],
  [`status = (${Array(51).fill('a').join(' OR ')})`, 'A filter has at most 50 comparisons', 261],
  ['a'.repeat(2049), 'A filter has at most 2048 characters', 2049],
  ['😀'.repeat(2049), 'A filter has at most 2048 characters', 2049],
  ['a'.repeat(10_000_000), 'A filter has at most 2048 characters', 2049],
]

for (const [filter, shown] of good) {
  test(`the filter ${JSON.stringify(filter).slice(0, 70)} is read as ${JSON.stringify(shown).slice(0, 70)}`, () => {
    const parsed = parseFilter(filter)
    assert.ok(parsed.ok, parsed.ok ? '' : parsed.message)
    assert.equal(show(parsed.expression), shown)
  })
}

for (const [filter, reason, position] of bad) {
  test(`the filter ${JSON.stringify(filter).slice(0, 70)} is refused at character ${position}`, () => {
    const message = `${reason} (at character ${position}).`
    assert.deepEqual(parseFilter(filter), { ok: false, message, position })
  })
}

test('a comparison has the positions of its field, comparator and value, counted in characters', () => {
  assert.deepEqual(parseFilter('😀 -title >= "x"'), {
    ok: true,
    expression: {
      kind: 'and',
      operands: [
        { kind: 'phrase', text: '😀', position: 1 },
        {
          kind: 'not',
          operand: {
            kind: 'comparison',
            path: ['title'],
            comparator: '>=',
            value: { text: 'x', quoted: true, position: 13 },
            position: 4,
            comparator_position: 10,
          },
        },
      ],
    },
  })
})

test('filters of one repeated part are parsed in linear time', () => {
  const pieces = [
    '(',
    ')',
    '-',
    '"',
    "'",
    '\\',
    '\\"',
    '"\\',
    '.',
    'a.',
    '!',
    '!=',
    '<',
    ':',
    ',',
    'NOT ',
    'a OR ',
    ' ',
    '😀',
  ]
  for (const piece of pieces) {
    for (const ending of ['', 'a', '"', ')']) {
      const filter = piece.repeat(Math.floor((limits.filter_chars_max - 1) / [...piece].length)) + ending
      const parsed = parseFilter(filter)
      if (!parsed.ok) assert.ok(parsed.position >= 1 && parsed.position <= [...filter].length + 1, parsed.message)
    }
  }
})

test('any text is parsed or refused at a position within it, never with an exception', () => {
  const alphabet = [
    'a',
    'status',
    '(',
    ')',
    '"',
    "'",
    '\\',
    '-',
    '.',
    ',',
    '=',
    '!',
    '<',
    '>',
    ':',
    ' ',
    'AND ',
    'OR ',
    'NOT ',
    '😀',
  ]
  let seed = 7
  const next = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return (seed >>> 8) % below
  }
  for (let round = 0; round < 20_000; round++) {
    const filter = Array.from({ length: next(14) }, () => alphabet[next(alphabet.length)]).join('')
    const parsed = parseFilter(filter)
    if (parsed.ok) continue
    assert.ok(parsed.position >= 1 && parsed.position <= [...filter].length + 1, filter)
    assert.ok(parsed.message.endsWith(`(at character ${parsed.position}).`), filter)
  }
})
