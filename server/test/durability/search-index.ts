/** What the index of search contains, and what it must contain: the checks of `search-kill.test.ts` and of the proof. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { type Placeholder, query, rawQuery } from '../../src/db/query.ts'
import type { SearchDocumentRow, SearchPositionRow } from '../../src/db/schema.ts'
import type { Reader } from '../../src/db/store.ts'
import { digestOf } from '../../src/search/documents.ts'
import { search_limits } from '../../src/search/limits.ts'
import { type SourceRow, source_types, sources } from '../../src/search/sources.ts'

const objects_max = 100_000

const positions = query<SearchPositionRow, { realm: number }>((db, p) =>
  db.selectFrom('search_positions').selectAll().where('realm', '=', p('realm')),
)
const documents = query<SearchDocumentRow>((db) => db.selectFrom('search_documents').selectAll())
const lastEvents = rawQuery(
  (p: Placeholder<{ realm: number }>) => sql<{ object: string; last: number }>`select object_id as object,
    max(sequence) as last from events where realm = ${p('realm')} group by object_id`,
)
const words = query<{ document: number }>((db, _, dialect) => ({
  compile: () =>
    (dialect === 'sqlite'
      ? sql<{ document: number }>`select rowid as document from search_words order by rowid`
      : sql<{ document: number }>`select document from search_hashes order by document`
    ).compile(db),
}))

/** Every object of a realm that the index covers, deleted ones included. */
async function objectsOf(reader: Reader, realm: number): Promise<SourceRow[]> {
  return (await Promise.all(source_types.map((type) => sources[type].after(reader, realm, '', objects_max)))).flat()
}

/**
 * The index keeps its promises at this moment: each document has its words and no words are without a document, and if it is
 * complete, it has every object as of the event at its position. `reader` is a snapshot.
 */
export async function assertPromised(reader: Reader, realms: readonly number[]): Promise<void> {
  const all = await reader.all(documents)
  const numbers = all.map(({ document }) => document).sort((a, b) => a - b)
  assert.deepEqual(
    (await reader.all(words)).map(({ document }) => document),
    numbers,
    'each document has words, and only documents have',
  )
  for (const realm of realms) {
    const position = await reader.first(positions, { realm })
    if (position?.complete !== 1) continue
    const found = new Map(all.filter((each) => each.realm === realm).map((each) => [each.object, each.digest]))
    const last = new Map((await reader.all(lastEvents, { realm })).map((each) => [each.object, each.last]))
    for (const row of await objectsOf(reader, realm)) {
      // What changed after the position may be in the index or not.
      if ((last.get(row.id) ?? 0) > position.sequence) continue
      const expected = row.deleted_at === null ? digestOf(row) : undefined
      assert.equal(found.get(row.id), expected, `${row.id} is indexed as of event ${position.sequence}`)
    }
  }
}

/** Everything in the index of a realm, by object; without the numbers that depend on when an object was indexed. */
export async function contentsOf(url: string, reader: Reader, realm: number): Promise<Record<string, unknown>> {
  const entries = url.startsWith('file:') ? entriesOfSqlite(url) : await entriesOfPostgres(url)
  const rows = (await reader.all(documents)).filter((each) => each.realm === realm)
  return Object.fromEntries(
    rows
      .sort((a, b) => (a.object < b.object ? -1 : 1))
      .map(({ object, document, generation: _, ...rest }) => {
        const time = Math.floor(document / search_limits.same_time_max)
        return [object, { ...rest, time, words: entries.get(document) }]
      }),
  )
}

/** Checks the full-text index and returns its words with their places. */
function entriesOfSqlite(url: string): Map<number, string[]> {
  const database = new DatabaseSync(fileURLToPath(new URL(url)), { timeout: 5000 })
  try {
    database.exec("insert into search_words (search_words) values ('integrity-check')")
    database.exec("create virtual table temp.entries using fts5vocab ('main', 'search_words', 'instance')")
    const rows = database
      .prepare('select doc, term, "offset" as place from temp.entries order by doc, place, term')
      .all()
    const grouped = Map.groupBy(rows, ({ doc }) => Number(doc))
    return new Map([...grouped].map(([doc, of]) => [doc, of.map(({ term, place }) => `${place} ${term}`)]))
  } finally {
    database.close()
  }
}

async function entriesOfPostgres(url: string): Promise<Map<number, string[]>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ document: string; hashes: string[] }>('select * from search_hashes')
    return new Map(rows.map(({ document, hashes }) => [Number(document), hashes.toSorted()]))
  } finally {
    await client.end()
  }
}
