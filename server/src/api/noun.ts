/**
 * A noun: one kind of object that the API speaks of. It knows its table, how a reference to it is looked up, and how
 * a row is shown. The pipeline uses it to find an operation's target, so that "foreign equals missing", tombstones,
 * the named workspace and `If-Match` are the same for every operation (decisions §2, §5).
 */
import type { TObject } from 'typebox'
import { type MaybePromise, query, type ResourceTable } from '../db/query.ts'
import type { Schema } from '../db/schema.ts'
import type { Reader } from '../db/store.ts'
import type { Caller } from './caller.ts'
import type { Scope } from './scopes.ts'

export interface PublicObject {
  readonly id: string
  readonly object: string
}

/** The part of a row that the common rules read. */
export interface NounRow {
  readonly id: string
  readonly workspace?: string | null
  readonly deleted_at?: number | null
  readonly revision?: number
}

/** A noun whose kind of row does not matter. */
export interface AnyNoun {
  readonly object: string
  /** Before the `_` of its ids. */
  readonly prefix: string
  readonly table: keyof Schema
  readonly schema: TObject
  /** The scope that reads it: needed where another object shows it expanded. */
  readonly readScope: Scope
  /** Its objects belong to a workspace, so a request may name one. */
  readonly workspaced: boolean
  /** Its ids answer 404 after deletion, not 410 (decisions §2). */
  readonly forgets: boolean
  /** `parent` is the row of the outer id, where the reference stands in a nested path. */
  find(reader: Reader, caller: Caller, reference: string, parent?: NounRow): MaybePromise<NounRow | undefined>
  show(row: never): PublicObject
}

export interface Noun<Row = NounRow, Public extends PublicObject = PublicObject> extends AnyNoun {
  /** The row a reference stands for, tombstones too. */
  find(reader: Reader, caller: Caller, reference: string, parent?: NounRow): MaybePromise<(Row & NounRow) | undefined>
  show(row: Row): Public
}

interface Declaration<T extends ResourceTable, Public extends PublicObject> {
  readonly object: string
  readonly prefix: string
  readonly table: T
  readonly schema: TObject
  readonly readScope: Scope
  readonly workspaced?: boolean
  readonly forgets?: boolean
  readonly find?: (reader: Reader, caller: Caller, reference: string) => MaybePromise<Schema[T] | undefined>
  readonly show: (row: Schema[T]) => Public
}

/** Declares a noun kept in a table of its own, found by realm and id. */
export function noun<T extends ResourceTable, Public extends PublicObject>(
  declared: Declaration<T, Public>,
): Noun<Schema[T], Public> {
  const byId = findById(declared.table)
  return {
    workspaced: true,
    forgets: false,
    find: (reader, caller, reference) => reader.first(byId, { realm: caller.realm, id: reference }),
    ...declared,
  } as Noun<Schema[T], Public>
}

/** The query for one row of a resource's table by realm and id, tombstones too. */
export function findById<T extends ResourceTable>(table: T) {
  return query<Schema[T]>(
    (db, p) =>
      db
        .selectFrom(table as 'tasks')
        .selectAll()
        .where('realm', '=', p('realm'))
        .where('id', '=', p('id')) as never,
  )
}
