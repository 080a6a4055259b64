import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { parseStrictJson } from './strict-json.ts'

const depth_max = 32

/** Whether the API should accept the text, decided with a regular expression and JSON.parse only. */
function shouldAccept(text: string): boolean {
  try {
    JSON.parse(text)
  } catch {
    return false
  }
  const open: (Set<string> | null)[] = []
  let deepest = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:[ \t\r\n]*:)?|[{}[\]]|[^ \t\r\n{}[\],:"]+/g)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, open.push(token === '{' ? new Set() : null))
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"')) {
      const value = JSON.parse(token.replace(/[ \t\r\n]*:$/, '')) as string
      if (!value.isWellFormed() || value.includes('\0')) return false
      if (!token.endsWith(':') || open.at(-1) == null) continue
      if (value === '__proto__' || open.at(-1)?.has(value)) return false
      open.at(-1)?.add(value)
    } else if (/^-?\d/.test(token)) {
      const value = Number(token)
      if (!Number.isFinite(value)) return false
      if (/^-?\d+$/.test(token) && !Number.isSafeInteger(value) && BigInt(token) !== BigInt(value)) return false
    }
  }
  return deepest <= depth_max
}

/** `JSON.parse` with keys that no text had before, because V8 misreads some with escapes (nodejs/node#63785). */
function parsed(text: string): unknown {
  const mark = randomUUID()
  const marked = text.replace(/"(?:[^"\\]|\\.)*"(?:[ \t\r\n]*:)?/g, (token) =>
    token.endsWith(':') ? `"${mark}${token.slice(1)}` : token,
  )
  const unmarked = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(unmarked)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.slice(mark.length), unmarked(item)]))
  }
  return unmarked(JSON.parse(marked))
}

const hardStrings = [
  'a',
  'b',
  '',
  '__proto__',
  '\u0000',
  '\ud800',
  '\u{1f602}',
  'x\\',
  '"',
  '\n',
  'é',
  '\u2028',
  ':',
  '{',
  'a:',
]
const hardNumbers = [0, -0, 1e21, 2 ** 53, 2 ** 53 - 1, -1.5, 1e-7, 5e-324, 1.7976931348623157e308]
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    fc.oneof(fc.constantFrom(...hardStrings), fc.string({ unit: 'binary' })),
    fc.oneof(fc.constantFrom(...hardNumbers), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger()),
    fc.constantFrom(true, false, null),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...hardStrings), fc.string()), tie('tree')), { maxLength: 6 })
      .map((entries) => new Map(entries)),
  ),
}))

/** Writes a tree as JSON; `chance` decides on spaces, escapes and repeated keys. */
function write(value: unknown, chance: () => number): string {
  const gap = () => ['', '', '', ' ', '\n\t', '\r'][chance() % 6] as string
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const letter = (char: string) =>
    chance() % 8 === 0 ? char.replace(/./gs, escaped) : JSON.stringify(char).slice(1, -1)
  const string = (text: string) => `"${[...text].map(letter).join('')}"`
  if (Array.isArray(value))
    return `[${gap()}${value.map((item) => write(item, chance)).join(`${gap()},${gap()}`)}${gap()}]`
  if (value instanceof Map) {
    const entries = [...value, ...(chance() % 8 === 0 ? value : [])]
    const members = entries.map(([key, item]) => `${gap()}${string(key)}${gap()}:${gap()}${write(item, chance)}`)
    return `{${members.join()}${gap()}}`
  }
  return typeof value === 'string' ? string(value) : Object.is(value, -0) ? '-0' : JSON.stringify(value)
}

const read = (text: string) => parseStrictJson(text, { depth_max })

function agrees(text: string): void {
  const result = read(text)
  assert.equal(result.ok, shouldAccept(text), `${JSON.stringify(text)} ${result.ok ? '' : result.message}`)
  if (result.ok) assert.deepEqual(result.value, parsed(text))
}

const chances = fc.infiniteStream(fc.nat({ max: 1000 }))

test('random JSON is parsed as by JSON.parse, and refused exactly if it contains something forbidden', () => {
  fc.assert(
    fc.property(tree, chances, (value, chance) => agrees(write(value, () => chance.next().value as number))),
    { numRuns: 3000 },
  )
  fc.assert(fc.property(fc.json({ stringUnit: 'binary' }), agrees), { numRuns: 1000 })
})

test('a randomly damaged text is refused whenever JSON.parse refuses it', () => {
  const piece = fc.constantFrom(
    ...'{}[]",:\\ \n\t0123456789-+.eEtrufalsng\u0000\ud800\udc00\ufeff',
    '\\u',
    '\\ud83d',
    '""',
    '"x":',
    ',1',
    '1e999',
    '99999999999999999',
    '__proto__',
  )
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), piece), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(tree, chances, damage, (value, chance, cuts) => {
      let text = write(value, () => chance.next().value as number)
      for (const [at, length, insert] of cuts) {
        const start = at % (text.length + 1)
        text = text.slice(0, start) + insert + text.slice(start + length)
      }
      agrees(text)
    }),
    { numRuns: 10_000 },
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => agrees(pieces.join(''))),
    { numRuns: 10_000 },
  )
})
