/**
 * How a column is shown and set, by its kind. The object of a row, its JSON text, and the same text made by SQLite all follow
 * from the kinds of the fields (task.ts), so the three cannot differ. The functions are generated once: lists of tasks are
 * read most, and a loop over the fields takes three to eight times as long as the generated code.
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

/** SQLite would write a real number with fewer digits, so its text is made in JavaScript. */
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

/** Makes the object of a row. */
export function objectMaker<Row, Shown>(fields: Kinds): (row: Row) => Shown {
  const members = Object.entries(fields).map(
    ([name, { kind }]) => `${JSON.stringify(name)}: ${(renderings[kind] as Rendering).value(name)}`,
  )
  return generate(`(row) => ({ ${members.join(', ')} })`)
}

/** Makes `JSON.stringify` of the object of a row, without the object. */
export function textMaker<Row>(fields: Kinds): (row: Row) => string {
  const parts = pieces(fields).map((piece) => (typeof piece === 'string' ? JSON.stringify(piece) : piece.js))
  return generate(`(row) => ${parts.join(' + ')}`)
}

/** The same text as SQL for SQLite, in the parts before and after the one real number. */
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

/** The columns that the fields are shown from. */
export function columnsOf(fields: Kinds): string[] {
  return Object.entries(fields).flatMap(([name, { kind }]) => {
    if (kind === 'task') return []
    return kind === 'actor' ? [`${name}_type`, `${name}_id`] : [name]
  })
}

/**
 * The column's value for a value as sent. An empty text becomes null. A time that is sent as it is shown keeps its
 * milliseconds, so it changes nothing.
 */
export function storedValue(kind: ColumnKind, sent: unknown, current: unknown = null): unknown {
  if (kind === 'text') return sent === '' ? null : sent
  if (kind !== 'optional_time' || sent === null) return sent
  return storedTime(sent as number, current as number | null)
}

/** A time in Unix seconds as milliseconds; those of `current` if it is shown as the same second. */
export function storedTime(sent: number, current: number | null): number {
  return current !== null && seconds(current) === sent ? current : millis(sent)
}
