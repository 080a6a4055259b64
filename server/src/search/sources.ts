/** The kinds of objects that a search finds, and which of their texts. A new kind is an entry here. */
import { isOneOfKeys } from '../db/dialect.ts'
import { query, type ResourceTable, selectRows } from '../db/query.ts'
import type { Schema } from '../db/schema.ts'
import type { Reader } from '../db/store.ts'

/** The texts of an object. A key and a title count as its title. */
export interface Texts {
  readonly key: string | null
  readonly title: string | null
  readonly body: string | null
  readonly workspace: string | null
}

/** What the index reads of an object. */
export interface SourceRow extends Texts {
  readonly id: string
  readonly updated: number
  readonly deleted_at: number | null
}

interface Source {
  /** Rows by id; the order is not defined. */
  byId(reader: Reader, realm: number, ids: readonly string[]): Promise<SourceRow[]>
  /** The next rows in order of ids, deleted ones included. */
  after(reader: Reader, realm: number, id: string, count: number): Promise<SourceRow[]>
}

function source<T extends ResourceTable>(table: T, textsOf: (row: Schema[T]) => Texts): Source {
  const byId = query<Schema[T], { realm: number; ids: string }>((db, p, dialect) =>
    selectRows(db, table)
      .where('realm', '=', p('realm'))
      .where(isOneOfKeys(dialect, 'id', p('ids'))),
  )
  const after = query<Schema[T], { realm: number; id: string; count: number }>((db, p) =>
    selectRows(db, table).where('realm', '=', p('realm')).where('id', '>', p('id')).orderBy('id').limit(p('count')),
  )
  const show = (row: Schema[T]): SourceRow => ({
    id: row.id,
    updated: row.updated,
    deleted_at: row.deleted_at,
    ...textsOf(row),
  })
  return {
    byId: async (reader, realm, ids) =>
      ids.length === 0 ? [] : (await reader.all(byId, { realm, ids: JSON.stringify(ids) })).map(show),
    after: async (reader, realm, id, count) => (await reader.all(after, { realm, id, count })).map(show),
  }
}

const nameAndDescription = (row: { name: string; description: string | null; workspace?: string }): Texts => ({
  key: null,
  title: row.name,
  body: row.description,
  workspace: row.workspace ?? null,
})

/** By the word in the `object` field. A comment has no title. */
export const sources = {
  task: source('tasks', ({ key, title, description, workspace }) => ({ key, title, body: description, workspace })),
  comment: source('comments', ({ body, workspace }) => ({ key: null, title: null, body, workspace })),
  project: source('projects', nameAndDescription),
  board: source('boards', nameAndDescription),
  portfolio: source('portfolios', nameAndDescription),
  file: source('files', ({ name, workspace }) => ({ key: null, title: name, body: null, workspace })),
} as const satisfies Readonly<Record<string, Source>>

export type SourceType = keyof typeof sources

export const source_types = Object.keys(sources) as readonly SourceType[]

export function isSourceType(object: string): object is SourceType {
  return Object.hasOwn(sources, object)
}
