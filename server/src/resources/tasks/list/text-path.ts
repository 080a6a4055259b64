/**
 * The access path of texts: tasks whose title or description has all grams of a searched text. Tasks that changed after the
 * index was written are found through their events, so that the path leads to every task that matches.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Dialect } from '../../../db/dialect.ts'
import { type ComposedPlaceholder, type Placeholder, rawQuery, shapedQuery } from '../../../db/query.ts'
import type { Reader } from '../../../db/store.ts'
import type { Condition } from '../filter/check.ts'
import { gramsOfSearch } from '../text-grams.ts'

/** What the grams of every matching task fulfil. */
type GramTest =
  | { readonly grams: readonly string[] }
  | { readonly word: 'and' | 'or'; readonly tests: readonly GramTest[] }

export interface TextPath {
  readonly column: 'text'
  /** Identifies everything that varies in the SQL text. */
  readonly shape: string
  readonly values: Readonly<Record<string, string>>
  /** A query of the ids of these tasks and of all that changed since. */
  lookUp(bind: ComposedPlaceholder, dialect: Dialect): RawBuilder<unknown>
}

/** The path of a filter; null if tasks without any of its texts may match. */
export function textPathOf(condition: Condition, realm: number, dialect: Dialect): TextPath | null {
  const test = testOf(condition, realm, dialect)
  if (test === null) return null
  if (dialect === 'sqlite') {
    const values = { grams_match: matchText(test) }
    return { column: 'text', shape: 'match', values, lookUp: (bind) => lookUp(bind, sqliteMatch(bind)) }
  }
  const values: Record<string, string> = {}
  nameGrams(test, values)
  const shape = shapeOf(test)
  return { column: 'text', shape, values, lookUp: (bind) => lookUp(bind, postgresMatch(test, bind, { next: 0 })) }
}

function testOf(condition: Condition, realm: number, dialect: Dialect): GramTest | null {
  switch (condition.kind) {
    case 'contains':
      return asTest(gramsOfSearch(dialect, realm, condition.column, condition.text))
    case 'phrase': {
      const grams = (['title', 'description'] as const).map((column) =>
        asTest(gramsOfSearch(dialect, realm, column, condition.text)),
      )
      return joined('or', grams)
    }
    case 'and':
    case 'or':
      return joined(
        condition.kind,
        condition.operands.map((operand) => testOf(operand, realm, dialect)),
      )
    default:
      return null
  }
}

function asTest(grams: string[] | null): GramTest | null {
  return grams === null ? null : { grams }
}

function joined(word: 'and' | 'or', tests: readonly (GramTest | null)[]): GramTest | null {
  const known = tests.filter((test) => test !== null)
  if (known.length === 0 || (word === 'or' && known.length < tests.length)) return null
  return known.length === 1 ? (known[0] as GramTest) : { word, tests: known }
}

function matchText(test: GramTest): string {
  if ('grams' in test) return `(${test.grams.join(' AND ')})`
  return `(${test.tests.map(matchText).join(test.word === 'and' ? ' AND ' : ' OR ')})`
}

function shapeOf(test: GramTest): string {
  return 'grams' in test ? 'g' : `(${test.tests.map(shapeOf).join(test.word === 'and' ? '&' : '|')})`
}

function nameGrams(test: GramTest, values: Record<string, string>): void {
  if ('grams' in test) values[`grams_${Object.keys(values).length}`] = `{${test.grams.join()}}`
  else for (const each of test.tests) nameGrams(each, values)
}

function sqliteMatch(bind: ComposedPlaceholder): RawBuilder<SqlBool> {
  return sql<SqlBool>`text_grams match ${bind('grams_match')} and text_documents.document = text_grams.rowid`
}

function postgresMatch(test: GramTest, bind: ComposedPlaceholder, at: { next: number }): RawBuilder<SqlBool> {
  const condition = gramsCondition(test, bind, at)
  return sql<SqlBool>`${condition} and text_documents.document = text_grams.document and text_documents.realm = text_grams.shard`
}

function gramsCondition(test: GramTest, bind: ComposedPlaceholder, at: { next: number }): RawBuilder<SqlBool> {
  if ('grams' in test) return sql<SqlBool>`text_grams.grams @> ${bind(`grams_${at.next++}`)}::bigint[]`
  const parts = test.tests.map((each) => gramsCondition(each, bind, at))
  return sql<SqlBool>`(${sql.join(parts, test.word === 'and' ? sql` and ` : sql` or `)})`
}

/** SQLite keeps the order of a CROSS JOIN: the grams first. */
function lookUp(bind: ComposedPlaceholder, isMatch: RawBuilder<SqlBool>): RawBuilder<unknown> {
  return sql`select text_documents.task from text_grams cross join text_documents
      where ${isMatch} and text_documents.realm = ${bind('realm')}
    union all select events.object_id from events where events.realm = ${bind('realm')} and events.object = 'task'
      and events.sequence > (select sequence from text_positions where text_positions.realm = ${bind('realm')})`
}

type Few = { realm: number; few_max: number }

/** The index covers the realm, but for few events, all of which still exist. */
const isCoveredQuery = rawQuery(
  (p: Placeholder<Few>) => sql<{ behind: number }>`
    select event_heads.sequence - text_positions.sequence as behind from text_positions
    join event_heads on event_heads.realm = text_positions.realm
    where text_positions.realm = ${p('realm')} and text_positions.walked is null
      and event_heads.sequence - text_positions.sequence between 0 and ${p('few_max')}
      and event_heads.sequence - text_positions.sequence = (select count(*) from (select 1 from events
        where events.realm = ${p('realm')} and events.sequence > text_positions.sequence limit ${p('few_max')}) as unread)`,
)

/** Whether the path leads to at most `few_max` tasks. Without a complete index it leads nowhere. */
export async function isSelectiveText(
  reader: Reader,
  realm: number,
  path: TextPath,
  few_max: number,
): Promise<boolean> {
  const query = shapedQuery<{ found: number }, Few>(`tasks few text ${path.shape}`, (_, bind, dialect) => {
    // The path binds values of its own, which are passed beside `few_max`.
    const found = path.lookUp(bind as never, dialect)
    return sql<{ found: number }>`select 1 as found from (${found}) as candidates limit 1 offset ${bind('few_max')}`
  })
  const [isCovered, more] = await Promise.all([
    reader.first(isCoveredQuery, { realm, few_max }),
    reader.first(query, { realm, few_max, ...path.values }),
  ])
  return isCovered !== undefined && more === undefined
}
