/**
 * Names the shards of a statement's tables in place of the tables: to PostgreSQL it is then a statement about plain tables, whose
 * plan a session keeps, where Citus would plan each execution. A table is named only where SQL expects one, and keeps its name
 * as alias, so that the rest of the statement stands. A text that is not understood is not changed but refused.
 */
import { placements } from './placements.ts'

/** The shard of a table; null if it has none, or none that may be named. */
export type ShardOf = (table: string) => number | null

interface Token {
  readonly text: string
  /** A name or key word without quotes, in lower case; empty for anything else. */
  readonly word: string
  readonly from: number
  readonly to: number
}

const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_]\w*|\$\d+|::|[(),.;]|[^\s]/g

/** Words that end the list of a statement's tables. */
const after_tables = new Set(
  'where group order limit offset set returning union intersect except window having for fetch values select'.split(
    ' ',
  ),
)
/** Words that may follow a table and are no alias of it. */
const no_alias = new Set([
  ...after_tables,
  ...'join inner left right full cross natural on using lateral default conflict tablesample'.split(' '),
])

/** What is known of a statement between two parentheses. */
interface Level {
  /** Whether a statement began here, so that `from` leads to tables. */
  isStatement: boolean
  /** Whether a comma separates tables. */
  isInTables: boolean
  /** What the next name is. */
  next: 'table' | 'target' | null
}

interface Named {
  readonly table: string
  /** Whether its rows are changed. */
  readonly isTarget: boolean
  /** Which token it is. */
  readonly place: number
}

/** The text with shards in place of tables; null if a table has no shard that may be named. A text without tables stays. */
export function nameShards(text: string, shardOf: ShardOf): string | null {
  const tokens = tokensOf(text)
  const tables = tablesIn(tokens)
  if (tables === null || !isUnderstood(tokens, tables) || !mayBeNamed(tokens, tables)) return null
  let out = ''
  let written = 0
  for (const { table, place } of tables) {
    const shard = shardOf(table)
    const at = tokens[place] as Token
    if (shard === null) return null
    out += `${text.slice(written, at.from)}"${table}_${shard}"`
    if (!hasAlias(tokens, place)) out += ` as "${table}"`
    written = at.to
  }
  return out + text.slice(written)
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(token)].map((match) => {
    const [found] = match
    return { text: found, word: wordOf(found), from: match.index, to: match.index + found.length }
  })
}

function wordOf(found: string): string {
  return /^[A-Za-z_]/.test(found) ? found.toLowerCase() : ''
}

function nameOf({ text, word }: Token): string {
  return text.startsWith('"') ? text.slice(1, -1) : word
}

/** The tables of the schema where the statement names them as tables; null if its parentheses do not match. */
function tablesIn(tokens: readonly Token[]): Named[] | null {
  const found: Named[] = []
  const levels: Level[] = [newLevel()]
  for (let place = 0; place < tokens.length; place++) {
    const { text } = tokens[place] as Token
    if (text === '(') levels.push(newLevel())
    else if (text === ')') levels.pop()
    const level = levels.at(-1)
    if (level === undefined) return null
    if (text === '(' || text === ')') continue
    const table = read(level, tokens, place)
    if (table !== null) found.push(table)
  }
  return found
}

function newLevel(): Level {
  return { isStatement: false, isInTables: false, next: null }
}

/** Follows the statement by one token. Returns the table that it names. */
function read(level: Level, tokens: readonly Token[], place: number): Named | null {
  const { text, word } = tokens[place] as Token
  const before = tokens[place - 1]?.word
  if (level.next !== null && word !== 'lateral' && word !== 'only') {
    const isTarget = level.next === 'target'
    level.next = null
    const table = nameOf(tokens[place] as Token)
    const isTable = placements[table] !== undefined && tokens[place + 1]?.text !== '(' && text !== ','
    if (isTable || isTarget) return { table, isTarget, place }
  }
  if (word === 'select' || word === 'delete') level.isStatement = true
  if (word === 'update' && before !== 'for' && before !== 'do' && before !== 'key') {
    level.isStatement = true
    level.isInTables = false
    level.next = 'target'
  } else if (word === 'into') level.next = 'target'
  else if (word === 'from' && level.isStatement && before !== 'distinct') {
    level.isInTables = true
    level.next = before === 'delete' ? 'target' : 'table'
  } else if (word === 'join' || (text === ',' && level.isInTables)) level.next = 'table'
  else if (word === 'using' && level.isStatement && tokens[place + 1]?.text !== '(') {
    level.isInTables = true
    level.next = 'table'
  } else if (after_tables.has(word)) level.isInTables = false
  return null
}

/** Words before a table. */
const before_tables = new Set(['from', 'join', 'into', 'update', 'using', 'only', 'lateral', 'table'])

/**
 * Whether every other name of a table certainly stands for a column, a type or an alias. Otherwise Citus' table would be read where
 * its shard is meant, past what the transaction has written there.
 */
function isUnderstood(tokens: readonly Token[], tables: readonly Named[]): boolean {
  const places = new Set(tables.map(({ place }) => place))
  return tokens.every((each, place) => {
    if (placements[nameOf(each)] === undefined) return true
    const isPart = tokens[place + 1]?.word === 'as' && tokens[place + 2]?.text === '('
    if (places.has(place) || isPart) return !isPart
    const [before, further] = [tokens[place - 1], tokens[place - 2]]
    // A table in parentheses is not looked for.
    const isInside = before?.text === '(' && before_tables.has(further?.word ?? '')
    return !isInside && !before_tables.has(before?.word ?? '')
  })
}

function hasAlias(tokens: readonly Token[], place: number): boolean {
  const next = tokens[place + 1]
  if (next === undefined) return false
  return next.word === 'as' || next.text.startsWith('"') || (next.word !== '' && !no_alias.has(next.word))
}

/** Copies are the same on every node: Citus alone changes and locks them. */
function mayBeNamed(tokens: readonly Token[], tables: readonly Named[]): boolean {
  const locks = tokens.some(
    ({ word }, i) => word === 'for' && ['update', 'share', 'no', 'key'].includes(tokens[i + 1]?.word ?? ''),
  )
  return tables.every(({ table, isTarget }) => {
    const by = placements[table]?.by
    return by === 'realm' || (by === 'copies' && !isTarget && !locks)
  })
}
