/**
 * Writes the documents of the index. A document's number is its place in the order of results: the time of the object's last
 * change, then the order in which objects with the same time were indexed.
 */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { isOneOf } from '../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../db/query.ts'
import type { SearchDocumentRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { indexedHashes, indexedText, objectWords, spacedWords } from './entries.ts'
import { search_limits } from './limits.ts'
import type { SourceRow, SourceType } from './sources.ts'

/** The walk or the following that writes. */
export interface WrittenAs {
  readonly realm: number
  readonly generation: number
  /** Objects that an earlier walk wrote are written again although they have not changed. */
  readonly isForced: boolean
}

const documentsOf = query<SearchDocumentRow, { realm: number; objects: string }>((db, p, dialect) =>
  db
    .selectFrom('search_documents')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'object', p('objects'))),
)

const lastBetween = rawQuery(
  (p: Placeholder<{ from: number; until: number }>) => sql<{ last: number | null }>`select max(document) as last
    from search_documents where document >= ${p('from')} and document < ${p('until')}`,
)

const removeWords = rawQuery((p: Placeholder<{ realm: number; document: number }>, dialect) =>
  dialect === 'sqlite'
    ? sql`delete from search_words where rowid = ${p('document')}`
    : sql`delete from search_hashes where document = ${p('document')} and shard = ${p('realm')}`,
)

const insertWords = rawQuery((p: Placeholder<{ realm: number; document: number; words: string }>, dialect) =>
  dialect === 'sqlite'
    ? sql`insert into search_words (rowid, words) values (${p('document')}, ${p('words')})`
    : sql`insert into search_hashes (document, shard, hashes)
        values (${p('document')}, ${p('realm')}, ${p('words')}::bigint[])`,
)

const removeDocument = query((db, p: Placeholder<{ realm: number; object: string }>) =>
  db.deleteFrom('search_documents').where('realm', '=', p('realm')).where('object', '=', p('object')),
)

const outdated = query((db, p: Placeholder<{ realm: number; generation: number; count: number }>) =>
  db
    .selectFrom('search_documents')
    .select(['object', 'document'])
    .where('realm', '=', p('realm'))
    .where('generation', '<', p('generation'))
    .limit(p('count')),
)

interface Change {
  readonly row: SourceRow
  readonly digest: string
  /** The number that it keeps, because its time is the same; null for a new one. */
  readonly kept: number | null
}

/** Brings the documents of these objects up to date. */
export async function writeObjects(
  tx: Tx,
  written: WrittenAs,
  type: SourceType,
  rows: readonly SourceRow[],
): Promise<void> {
  if (rows.length === 0) return
  const { realm, generation, isForced } = written
  const found = await tx.all(documentsOf, { realm, objects: JSON.stringify(rows.map(({ id }) => id)) })
  const known = new Map(found.map((document) => [document.object, document]))
  const changes: Change[] = []
  for (const row of rows) {
    const before = known.get(row.id)
    const digest = digestOf(row)
    const isCurrent = before?.digest === digest && (!isForced || before.generation === generation)
    if (row.deleted_at === null && isCurrent) continue
    if (before !== undefined) {
      tx.write(removeWords, { realm, document: before.document })
      tx.write(removeDocument, { realm, object: row.id })
    }
    if (row.deleted_at === null) changes.push({ row, digest, kept: keptNumber(row, before) })
  }
  // Numbers that fall would make SQLite end a segment of its index each time.
  changes.sort((a, b) => a.row.updated - b.row.updated || (a.row.id < b.row.id ? -1 : 1))
  const numbers = new Numbers(tx, changes)
  for (const change of changes)
    writeOne(tx, written, type, change, change.kept ?? (await numbers.next(change.row.updated)))
}

/** The hash of all that is indexed of an object. */
export function digestOf({ key, title, body, workspace, updated }: SourceRow): string {
  return hash('sha256', JSON.stringify([key, title, body, workspace, updated]), 'base64url')
}

function writeOne(
  tx: Tx,
  { realm, generation }: WrittenAs,
  type: SourceType,
  { row, digest }: Change,
  document: number,
): void {
  const words = objectWords(row)
  const isText = tx.dialect === 'sqlite'
  tx.write(insertWords, {
    realm,
    document,
    words: isText ? indexedText(realm, words, type, row.workspace) : indexedHashes(realm, words),
  })
  tx.insert('search_documents', {
    realm,
    object: row.id,
    type,
    workspace: row.workspace,
    document,
    digest,
    generation,
    title_words: isText ? null : spacedWords(words.titles),
    body_words: isText ? null : spacedWords([words.body]),
  })
}

/** The first number of the documents of a time. */
function firstNumber(updated: number): number {
  return Math.max(0, Math.min(updated, search_limits.time_max)) * search_limits.same_time_max
}

function keptNumber({ updated }: SourceRow, before: SearchDocumentRow | undefined): number | null {
  if (before === undefined) return null
  const from = firstNumber(updated)
  return before.document >= from && before.document < from + search_limits.same_time_max ? before.document : null
}

/** Gives out the numbers of new documents within one transaction, besides those that other changes keep. */
class Numbers {
  private readonly tx: Tx
  private readonly kept: ReadonlySet<number>
  private readonly last = new Map<number, number>()

  constructor(tx: Tx, changes: readonly Change[]) {
    this.tx = tx
    this.kept = new Set(changes.flatMap(({ kept }) => kept ?? []))
  }

  /** The next free number of a time. */
  async next(updated: number): Promise<number> {
    const { same_time_max } = search_limits
    for (let from = firstNumber(updated); ; from += same_time_max) {
      const until = from + same_time_max
      let next = this.last.get(from) ?? (await this.tx.first(lastBetween, { from, until }))?.last ?? from - 1
      do next++
      while (this.kept.has(next))
      this.last.set(from, Math.min(next, until - 1))
      if (next < until) return next
    }
  }
}

/** Removes documents that the current walk did not write: at most `count`. Returns how many. */
export async function removeOutdated(tx: Tx, { realm, generation }: WrittenAs, count: number): Promise<number> {
  const rows = await tx.all(outdated, { realm, generation, count })
  for (const { object, document } of rows) {
    tx.write(removeWords, { realm, document })
    tx.write(removeDocument, { realm, object })
  }
  return rows.length
}
