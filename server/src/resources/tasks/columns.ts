/**
 * How a column is shown and stored, by its kind. The object of a row, its JSON text and the same text built by SQLite are
 * derived from the kinds of the fields (task.ts), so they cannot differ. The functions are generated once, because lists of
 * tasks are the most frequent reads and a loop over the fields takes three to eight times as long as generated code.
 */
import { millis, seconds } from '../../lib/clock.ts'

/** A part of a JSON text: literal, or an expression in both languages. */
type Piece = string | { readonly js: string; readonly sql: string }

interface Rendering {
  /** The value in the object, as JavaScript. */
  value(column: string): string
  /** The value in the JSON text. */
  text(column: string): readonly Piece[]
}

const js = (column: string) => `row[${JSON.stringify(column)}]`
const sql = (column: string) => `tasks."${column}"`
const same = (column: string) => ({ js: js(column), sql: sql(column) })

/** SQLite would write a real number with fewer digits, so JavaScript builds its text. */
const in_javascript = ''

const renderings = {
  /** Letters, digits, `_`, `:` and `-`: nothing that JSON escapes. */
  word: { value: js, text: (column) => ['"', same(column), '"'] },
  optional_word: {
    value: js,
    text: (column) => [{ js: `quoted(${js(column)})`, sql: `ifnull('"' || ${sql(column)} || '"', 'null')` }],
  },
  /** Any text or null. `json_quote` escapes what `JSON.stringify` does. */
  text: {
    value: js,
    text: (column) => [{ js: `JSON.stringify(${js(column)})`, sql: `json_quote(${sql(column)})` }],
  },
  integer: { value: js, text: (column) => [same(column)] },
  optional_integer: { value: js, text: (column) => [{ js: js(column), sql: `ifnull(${sql(column)}, 'null')` }] },
  real: { value: js, text: (column) => [{ js: `JSON.stringify(${js(column)})`, sql: in_javascript }] },
  /** Milliseconds, shown as Unix seconds; no time is before 1970. */
  time: {
    value: (column) => `seconds(${js(column)})`,
    text: (column) => [{ js: `seconds(${js(column)})`, sql: `${sql(column)} / 1000` }],
  },
  optional_time: {
    value: (column) => `optionalSeconds(${js(column)})`,
    text: (column) => [{ js: `optionalSeconds(${js(column)})`, sql: `ifnull(${sql(column)} / 1000, 'null')` }],
  },
  flag: {
    value: (column) => `${js(column)} === 1`,
    text: (column) => [{ js: `(${js(column)} === 1)`, sql: `iif(${sql(column)} = 1, 'true', 'false')` }],
  },
  /** Stored exactly as `JSON.stringify` writes it. */
  json: { value: (column) => `JSON.parse(${js(column)})`, text: (column) => [same(column)] },
  /** Two columns, `…_type` and `…_id`. */
  actor: {
    value: (column) => `{ type: ${js(`${column}_type`)}, id: ${js(`${column}_id`)} }`,
    text: (column) => ['{"type":"', same(`${column}_type`), '","id":"', same(`${column}_id`), '"}'],
  },
  /** No column: the object's own name. */
  task: { value: () => `'task'`, text: () => ['"task"'] },
} as const satisfies Record<string, Rendering>

export type ColumnKind = keyof typeof renderings

type Kinds = Readonly<Record<string, { readonly kind: ColumnKind }>>

const environment = {
  seconds,
  optionalSeconds: (ms: number | null) => (ms === null ? null : seconds(ms)),
  quoted: (word: string | null) => (word === null ? 'null' : `"${word}"`),
}

function generate<T>(code: string): T {
  return new Function(...Object.keys(environment), `return ${code}`)(...Object.values(environment)) as T
}

/** Returns a function that builds the object of a row. */
export function objectMaker<Row, Shown>(fields: Kinds): (row: Row) => Shown {
  const members = Object.entries(fields).map(
    ([name, { kind }]) => `${JSON.stringify(name)}: ${(renderings[kind] as Rendering).value(name)}`,
  )
  return generate(`(row) => ({ ${members.join(', ')} })`)
}

/** Returns a function that builds the JSON text of a row's object, equal to `JSON.stringify`, without the object. */
export function textMaker<Row>(fields: Kinds): (row: Row) => string {
  const parts = pieces(fields).map((piece) => (typeof piece === 'string' ? JSON.stringify(piece) : piece.js))
  return generate(`(row) => ${parts.join(' + ')}`)
}

/** The same text as SQL for SQLite, in two parts: before and after the only real number. */
export function sqlTexts(fields: Kinds): readonly [head: string, tail: string] {
  const all = pieces(fields)
  const split = all.findIndex((piece) => typeof piece !== 'string' && piece.sql === in_javascript)
  const concat = (some: readonly Piece[]) => {
    const parts = some.map((piece) => (typeof piece === 'string' ? `'${piece.replaceAll("'", "''")}'` : piece.sql))
    return `concat(${parts.join(', ')})`
  }
  return [concat(all.slice(0, split)), concat(all.slice(split + 1))]
}

/** The JSON text of an object, with adjacent literals joined. */
function pieces(fields: Kinds): Piece[] {
  const joined: Piece[] = []
  const add = (piece: Piece) => {
    const last = joined.at(-1)
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece
    else joined.push(piece)
  }
  for (const [i, [name, { kind }]] of Object.entries(fields).entries()) {
    add(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    for (const piece of (renderings[kind] as Rendering).text(name)) add(piece)
  }
  add('}')
  return joined
}

/** The columns that the fields are built from. */
export function columnsOf(fields: Kinds): string[] {
  return Object.entries(fields).flatMap(([name, { kind }]) => {
    if (kind === 'task') return []
    return kind === 'actor' ? [`${name}_type`, `${name}_id`] : [name]
  })
}

/**
 * The stored value for a sent value. An empty text becomes null. A time sent as it is shown keeps its stored milliseconds,
 * so the write changes nothing.
 */
export function storedValue(kind: ColumnKind, sent: unknown, current: unknown = null): unknown {
  if (kind === 'text') return sent === '' ? null : sent
  if (kind !== 'optional_time' || sent === null) return sent
  return storedTime(sent as number, current as number | null)
}

/** A time in Unix seconds as milliseconds; `current` if it is within the same second. */
export function storedTime(sent: number, current: number | null): number {
  return current !== null && seconds(current) === sent ? current : millis(sent)
}
