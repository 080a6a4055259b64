/**
 * Reads the index: the documents that match a query, in the order of results. The rank of a document is 0 if a word of the query is
 * its task key, 1 if all words are in its title, else 2; within a rank the newest document is first. Each rank is read in the
 * order of the index, so a page costs the same however many documents match.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Dialect, isOneOf } from '../db/dialect.ts'
import { type ComposedPlaceholder, type Placeholder, rawQuery, shapedQuery } from '../db/query.ts'
import type { Reader } from '../db/store.ts'
import { likePattern, matchText, type Place, soughtHashes } from './entries.ts'
import { search_limits } from './limits.ts'
import type { SearchQuery, Term } from './search-query.ts'
import type { SourceType } from './sources.ts'

export interface Criteria {
  readonly realm: number
  readonly search: SearchQuery
  /** Kinds of objects to find; all if undefined. Not empty. */
  readonly types: readonly SourceType[] | undefined
  readonly workspace: string | undefined
  /** Of a guest: only objects of these projects. */
  readonly seen: readonly string[] | undefined
}

/** A place in the order of results. */
export interface ResultPosition {
  readonly rank: number
  readonly document: number
}

export interface Hit extends ResultPosition {
  readonly object: string
  readonly type: SourceType
}

/** Lists by rank; the first one holds the few tasks that the query names by key. */
const ranks: readonly (Place | 'key')[] = ['key', 'title', 'text']
const start: ResultPosition = { rank: 0, document: Number.MAX_SAFE_INTEGER }

/** At most `count` documents after a position. */
export async function findDocuments(
  reader: Reader,
  criteria: Criteria,
  after: ResultPosition | null,
  count: number,
): Promise<Hit[]> {
  const named = await documentsOfKeys(reader, criteria)
  if (after === null && reader.dialect === 'sqlite' && hasWords(criteria)) {
    return await readFirstPage(reader, criteria, named, count)
  }
  const position = after ?? start
  const hits: Hit[] = []
  for (let rank = position.rank; rank < ranks.length && hits.length < count; rank++) {
    const below = rank === position.rank ? position.document : start.document
    if (rank === 0) {
      if (named.length > 0) hits.push(...(await readRank(reader, criteria, { rank, below, count, among: named })))
      continue
    }
    const wanted = count - hits.length
    // Those of rank 0 are not shown again.
    const rows = await readRank(reader, criteria, { rank, below, count: wanted + named.length, among: null })
    hits.push(...rows.filter(({ document }) => !named.includes(document)).slice(0, wanted))
  }
  return hits.slice(0, count)
}

/** Whether a query has several words, which may be frequent alone and rarely together. */
function hasWords({ search }: Criteria): boolean {
  return search.terms.flatMap(({ words }) => words).length > 1
}

/** The first page of a search for several words on SQLite: what the titles leave of it, the newest other documents fill. */
async function readFirstPage(
  reader: Reader,
  criteria: Criteria,
  named: readonly number[],
  count: number,
): Promise<Hit[]> {
  const wanted = { below: start.document, count: count + named.length, among: null }
  const newest = (await readFew(reader, criteria)) ?? (await readSqlite(reader, criteria, { ...wanted, place: 'any' }))
  if (newest.length === 0) return []
  const ofKeys = await readSqlite(reader, criteria, { ...wanted, among: named, place: 'any' })
  const titles = await readSqlite(reader, criteria, { ...wanted, place: 'title' })
  const hits = new Map<number, Hit>()
  for (const [rank, rows] of [ofKeys, titles, newest].entries()) {
    for (const row of rows) if (!hits.has(row.document)) hits.set(row.document, asHit(row, rank))
  }
  return [...hits.values()].slice(0, count)
}

/**
 * All documents that match, the newest first; null if there are more than `few_documents_max`. Words that are frequent alone and
 * rarely together are looked for in the whole index, and forwards that takes 0.87 of the time. More documents than these are
 * found soon in both directions.
 */
async function readFew(reader: Reader, criteria: Criteria): Promise<Found[] | null> {
  const { realm, search } = criteria
  const match = matchText(realm, search, 'any', facetsOf(criteria))
  const most = search_limits.few_documents_max
  const rows = await reader.all(matchingOldest, { realm, match, count: most + 1, seen: seenOf(criteria) })
  return rows.length > most ? null : rows.toReversed()
}

function facetsOf({ types, workspace }: Criteria): (readonly string[])[] {
  return [...(types === undefined ? [] : [types]), ...(workspace === undefined ? [] : [[workspace]])]
}

function seenOf({ seen }: Criteria): string | null {
  return seen === undefined ? null : JSON.stringify(seen)
}

const documentOfKey = rawQuery(
  (p: Placeholder<{ realm: number; key: string }>) => sql<{ document: number }>`select search_documents.document
    from tasks join search_documents on search_documents.realm = tasks.realm and search_documents.object = tasks.id
    where tasks.realm = ${p('realm')} and tasks.key = ${p('key')}`,
)

async function documentsOfKeys(reader: Reader, { realm, search }: Criteria): Promise<number[]> {
  const found = await Promise.all(search.keys.map((key) => reader.first(documentOfKey, { realm, key })))
  return found.flatMap((row) => (row === undefined ? [] : [row.document]))
}

interface RankRead {
  readonly rank: number
  readonly below: number
  readonly count: number
  /** Only these documents. */
  readonly among: readonly number[] | null
}

type Found = { object: string; type: string; document: number }

async function readRank(reader: Reader, criteria: Criteria, read: RankRead): Promise<Hit[]> {
  const rows =
    reader.dialect === 'sqlite'
      ? await readSqlite(reader, criteria, { ...read, place: placeOf(read.rank) })
      : await readPostgres(reader, criteria, read)
  return rows.map((row) => asHit(row, read.rank))
}

/** The index holds only kinds of `sources`. */
function asHit(row: Found, rank: number): Hit {
  return { ...row, type: row.type as SourceType, rank }
}

/** Whether an object belongs to one of the projects in the JSON array bound as `seen`. */
function isSeen(dialect: Dialect, seen: unknown): RawBuilder<SqlBool> {
  const own = (column: string) => isOneOf(dialect, column, seen)
  const task = sql`tasks.realm = search_documents.realm`
  return sql<SqlBool>`case search_documents.type
    when 'project' then ${own('search_documents.object')}
    when 'task' then exists (select 1 from tasks where ${task} and tasks.id = search_documents.object
      and ${own('tasks.project')})
    when 'comment' then exists (select 1 from comments join tasks on ${task} and tasks.id = comments.task
      where comments.realm = search_documents.realm and comments.id = search_documents.object and ${own('tasks.project')})
    when 'board' then exists (select 1 from boards where boards.realm = search_documents.realm
      and boards.id = search_documents.object and ${own('boards.project')})
    else false end`
}

type SqliteValues = { realm: number; match: string; below: number; count: number; seen: string | null }

const columns = sql`search_documents.object as object, search_documents.type as type, search_documents.document as document`

/**
 * Reads SQLite's full-text index backwards: it keeps the order of a CROSS JOIN. Numbers are bound as reals, and the index takes
 * only integers for limits of its rows.
 */
const matching = rawQuery(
  (p: Placeholder<SqliteValues>, dialect) => sql<Found>`select ${columns} from search_words cross join search_documents
    where search_words match ${p('match')} and search_words.rowid < cast(${p('below')} as integer)
      and search_documents.document = search_words.rowid and search_documents.realm = ${p('realm')}
      and (${p('seen')} is null or ${isSeen(dialect, p('seen'))})
    order by search_words.rowid desc limit ${p('count')}`,
)

/** Reads it forwards. */
const matchingOldest = rawQuery(
  (p: Placeholder<Omit<SqliteValues, 'below'>>, dialect) => sql<Found>`select ${columns}
    from search_words cross join search_documents
    where search_words match ${p('match')}
      and search_documents.document = search_words.rowid and search_documents.realm = ${p('realm')}
      and (${p('seen')} is null or ${isSeen(dialect, p('seen'))})
    order by search_words.rowid limit ${p('count')}`,
)

const matchingOne = rawQuery(
  (
    p: Placeholder<{ realm: number; match: string; document: number; seen: string | null }>,
    dialect,
  ) => sql<Found>`select ${columns}
    from search_words cross join search_documents
    where search_words match ${p('match')} and search_words.rowid = cast(${p('document')} as integer)
      and search_documents.document = search_words.rowid and search_documents.realm = ${p('realm')}
      and (${p('seen')} is null or ${isSeen(dialect, p('seen'))})`,
)

/** Tasks that the query names by key match anywhere. */
function placeOf(rank: number): Place | 'any' {
  const place = ranks[rank] as Place | 'key'
  return place === 'key' ? 'any' : place
}

async function readSqlite(
  reader: Reader,
  criteria: Criteria,
  { place, below, count, among }: Omit<RankRead, 'rank'> & { readonly place: Place | 'any' },
): Promise<Found[]> {
  const { realm, search } = criteria
  const seen = seenOf(criteria)
  const match = matchText(realm, search, place, facetsOf(criteria))
  if (among === null) return await reader.all(matching, { realm, match, below, count, seen })
  const rows = await Promise.all(
    among
      .filter((document) => document < below)
      .map((document) => reader.first(matchingOne, { realm, match, document, seen })),
  )
  return rows.filter((row) => row !== undefined).sort((a, b) => b.document - a.document)
}

async function readPostgres(
  reader: Reader,
  criteria: Criteria,
  { rank, below, count, among }: RankRead,
): Promise<Found[]> {
  const { realm, search, types, workspace } = criteria
  const { terms, excluded } = search
  const place = ranks[rank] === 'title' ? 'title' : 'text'
  const values: Record<string, string | number> = { realm, below, count, hashes: soughtHashes(realm, terms, place) }
  for (const [i, term] of terms.entries()) values[`term_${i}`] = likePattern(term)
  for (const [i, term] of excluded.entries()) values[`excluded_${i}`] = likePattern(term)
  if (types !== undefined) values.types = JSON.stringify(types)
  if (workspace !== undefined) values.workspace = workspace
  if (among !== null) values.among = JSON.stringify(among)
  if (criteria.seen !== undefined) values.seen = JSON.stringify(criteria.seen)
  const shape = `search ${rank} ${Object.keys(values).join()}`
  const query = shapedQuery<Found, Record<string, string | number>>(shape, (_, bind) => {
    const conditions = postgresConditions(bind as ComposedPlaceholder, { terms, excluded, values, rank })
    return sql<Found>`select ${columns} from search_documents
      join search_hashes on search_hashes.document = search_documents.document
        and search_hashes.shard = search_documents.realm
      where ${sql.join(conditions, sql` and `)} order by search_documents.document desc limit ${bind('count')}`
  })
  return await reader.all(query, values)
}

/** The hashes find candidates; the words decide. */
function postgresConditions(
  bind: ComposedPlaceholder,
  of: {
    readonly terms: readonly Term[]
    readonly excluded: readonly Term[]
    readonly values: Readonly<Record<string, unknown>>
    readonly rank: number
  },
): RawBuilder<SqlBool>[] {
  const inTitle = (name: string) => sql<SqlBool>`search_documents.title_words like ${bind(name)}`
  const anywhere = (name: string) =>
    sql<SqlBool>`(search_documents.title_words like ${bind(name)} or search_documents.body_words like ${bind(name)})`
  const isTitle = ranks[of.rank] === 'title'
  const conditions = [
    sql<SqlBool>`search_documents.realm = ${bind('realm')} and search_documents.document < ${bind('below')}`,
    sql<SqlBool>`search_hashes.hashes @> ${bind('hashes')}::bigint[]`,
    ...of.terms.map((_, i) => (isTitle ? inTitle : anywhere)(`term_${i}`)),
    ...of.excluded.map((_, i) => sql<SqlBool>`not ${anywhere(`excluded_${i}`)}`),
  ]
  if (ranks[of.rank] === 'text') {
    conditions.push(
      sql<SqlBool>`not (${sql.join(
        of.terms.map((_, i) => inTitle(`term_${i}`)),
        sql` and `,
      )})`,
    )
  }
  if (of.values.types !== undefined) {
    conditions.push(sql<SqlBool>`search_documents.type = any(select json_array_elements_text(${bind('types')}::json))`)
  }
  if (of.values.workspace !== undefined)
    conditions.push(sql<SqlBool>`search_documents.workspace = ${bind('workspace')}`)
  if (of.values.seen !== undefined) conditions.push(isSeen('postgres', bind('seen')))
  if (of.values.among !== undefined) {
    conditions.push(
      sql<SqlBool>`search_documents.document = any(select json_array_elements_text(${bind('among')}::json)::bigint)`,
    )
  }
  return conditions
}
