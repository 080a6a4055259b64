/**
 * Writes the documents of the index. A document's number is its place in the order of results: the time of the object's last
 * change, then the order in which objects with the same time were indexed.
 */
import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type Dialect, integersOf, isOneOfKeys } from '../db/dialect.ts'
import { type Placeholder, query, rawQuery } from '../db/query.ts'
import type { SearchDocumentRow } from '../db/schema.ts'
import type { Tx } from '../db/store.ts'
import { indexedHashes, indexedText, objectWords, spacedWords } from './entries.ts'
import { search_limits } from './limits.ts'
import type { SourceRow, SourceType } from './sources.ts'

/** The walk or the following that writes. */
export interface WrittenAs {
  readonly realm: number
  /** Of the transaction. */
  readonly numbers: Numbers
  readonly generation: number
  /** Objects that an earlier walk wrote are written again although they have not changed. */
  readonly isForced: boolean
}

const documentsOf = query<SearchDocumentRow, { realm: number; objects: string }>((db, p, dialect) =>
  db
    .selectFrom('search_documents')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where(isOneOfKeys(dialect, 'object', p('objects'))),
)

interface LastNumber {
  readonly start: number
  readonly last: number
}

/** Over all realms: on PostgreSQL from the table that is not under row-level security. */
const lastNumbers = rawQuery((p: Placeholder<{ starts: string }>, dialect) =>
  lastIn(dialect, p('starts'), sql.table(dialect === 'sqlite' ? 'search_documents' : 'search_hashes'), sql`true`),
)

/** On Citus, where the realm is part of the key. */
const lastNumbersOfRealm = rawQuery((p: Placeholder<{ realm: number; starts: string }>, dialect) =>
  lastIn(dialect, p('starts'), sql.table('search_hashes'), sql`documents.shard = ${p('realm')}`),
)

/** The last document of each time that has one, by the first number of the time. */
function lastIn(dialect: Dialect, starts: unknown, table: RawBuilder<unknown>, where: RawBuilder<unknown>) {
  return sql<LastNumber>`select wanted.value as start, max(documents.document) as last
    from ${integersOf(dialect, starts)} wanted join ${table} documents on documents.document >= wanted.value
      and documents.document < wanted.value + ${sql.lit(search_limits.same_time_max)}
    where ${where} group by wanted.value`
}

const removeWords = query((db, p: Placeholder<{ realm: number; document: number }>, dialect) =>
  dialect === 'sqlite'
    ? db.deleteFrom('search_words').where('rowid', '=', p('document'))
    : db.deleteFrom('search_hashes').where('document', '=', p('document')).where('shard', '=', p('realm')),
)

const insertWords = query((db, p: Placeholder<{ realm: number; document: number; words: string }>, dialect) =>
  dialect === 'sqlite'
    ? db.insertInto('search_words').values({ rowid: p('document'), words: p('words') })
    : db.insertInto('search_hashes').values({ document: p('document'), shard: p('realm'), hashes: p('words') }),
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
  const { realm, numbers, generation, isForced } = written
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
  numbers.keep(changes)
  const fresh = changes.filter(({ kept }) => kept === null)
  await numbers.prepare(
    tx,
    realm,
    fresh.map(({ row }) => row.updated),
  )
  for (const change of changes)
    writeOne(tx, written, type, change, change.kept ?? (await numbers.next(tx, realm, change.row.updated)))
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

/** Gives out the numbers of new documents within one transaction, besides those that changed documents keep. */
export class Numbers {
  private readonly isOfRealm: boolean
  private readonly kept = new Set<number>()
  private readonly last = new Map<string, number>()

  /** `isOfRealm`: documents are numbered in each realm (Citus), not over all. */
  constructor(isOfRealm: boolean) {
    this.isOfRealm = isOfRealm
  }

  keep(changes: readonly Change[]): void {
    for (const { kept } of changes) if (kept !== null) this.kept.add(kept)
  }

  /** Reads the last numbers of these times together. */
  async prepare(tx: Tx, realm: number, times: readonly number[]): Promise<void> {
    await this.readLast(tx, realm, times.map(firstNumber))
  }

  /** The next free number of a time. */
  async next(tx: Tx, realm: number, updated: number): Promise<number> {
    const { same_time_max } = search_limits
    for (let from = firstNumber(updated); ; from += same_time_max) {
      await this.readLast(tx, realm, [from])
      const key = this.keyOf(realm, from)
      let next = this.last.get(key) as number
      do next++
      while (this.kept.has(next))
      this.last.set(key, Math.min(next, from + same_time_max - 1))
      if (next < from + same_time_max) return next
    }
  }

  private keyOf(realm: number, from: number): string {
    return this.isOfRealm ? `${realm} ${from}` : String(from)
  }

  private async readLast(tx: Tx, realm: number, from: readonly number[]): Promise<void> {
    const unknown = [...new Set(from)].filter((start) => !this.last.has(this.keyOf(realm, start)))
    if (unknown.length === 0) return
    const starts = JSON.stringify(unknown)
    const found = await (this.isOfRealm
      ? tx.all(lastNumbersOfRealm, { realm, starts })
      : tx.all(lastNumbers, { starts }))
    const lasts = new Map(found.map(({ start, last }) => [start, last]))
    for (const start of unknown) {
      const key = this.keyOf(realm, start)
      // Another realm of the transaction may have read it, and may have used the next.
      if (!this.last.has(key)) this.last.set(key, lasts.get(start) ?? start - 1)
    }
  }
}

/** Removes documents that the current walk did not write: at most `count`. Returns how many. */
export async function removeOutdated(
  tx: Tx,
  { realm, generation }: Pick<WrittenAs, 'realm' | 'generation'>,
  count: number,
): Promise<number> {
  const rows = await tx.all(outdated, { realm, generation, count })
  for (const { object, document } of rows) {
    tx.write(removeWords, { realm, document })
    tx.write(removeDocument, { realm, object })
  }
  return rows.length
}
