/**
 * A noun is a kind of object of the API: its table, how a reference is looked up, and how a row is shown. The pipeline
 * finds targets through nouns, so that foreign ids, tombstones, workspaces and `If-Match` behave alike in every operation.
 */
import type { TObject } from 'typebox'
import { type MaybePromise, query, type ResourceTable, selectRows } from '../../db/query.ts'
import type { Schema } from '../../db/schema.ts'
import type { Reader } from '../../db/store.ts'
import { actingUser, type Caller, type GuestAccess, type Tenant } from './caller.ts'
import type { Scope } from './scopes.ts'

export interface PublicObject {
  readonly id: string
  readonly object: string
}

/** The columns that the common rules read. */
export interface NounRow {
  readonly id: string
  readonly workspace?: string | null
  readonly deleted_at?: number | null
  readonly revision?: number
}

/**
 * Which objects of a noun a guest sees: those whose column names one of the guest's projects, one of their workspaces, or the
 * guest, or those of which `sees` says so. Of a noun without a rule a guest sees nothing.
 */
export type GuestRule<Row> =
  | { readonly column: string & keyof Row; readonly of: keyof GuestAccess | 'person' }
  | { readonly sees: (row: Row, guest: GuestAccess, from: { reader: Reader; caller: Caller }) => MaybePromise<boolean> }

/** A rule without the row type of its noun. */
export type AnyGuestRule =
  | { readonly column: string; readonly of: keyof GuestAccess | 'person' }
  | { sees(row: NounRow, guest: GuestAccess, from: { reader: Reader; caller: Caller }): MaybePromise<boolean> }

/** Whether a guest sees a row of the rule's noun. */
export function isSeenBy(
  rule: AnyGuestRule | undefined,
  row: NounRow,
  guest: GuestAccess,
  from: { readonly reader: Reader; readonly caller: Caller },
): MaybePromise<boolean> {
  if (rule === undefined) return false
  if ('sees' in rule) return rule.sees(row, guest, from)
  const value = (row as NounRow & Readonly<Record<string, unknown>>)[rule.column]
  return typeof value === 'string' && seenValues(rule.of, guest, from.caller).has(value)
}

/** The values of a rule's column that a guest sees. */
export function seenValues(of: keyof GuestAccess | 'person', guest: GuestAccess, caller: Caller): ReadonlySet<string> {
  return of === 'person' ? new Set([actingUser(caller)]) : guest[of]
}

/**
 * What a guest sees of shown objects, in their order: fields about objects that the guest does not see are left out. An object of
 * which nothing is left out is returned as it is.
 */
export type GuestView<Public> = (
  objects: readonly Public[],
  guest: GuestAccess,
  from: { readonly reader: Reader; readonly caller: Caller },
) => Promise<readonly Public[]>

const views = new Map<string, GuestView<PublicObject>>()

/** The view of a kind of object, which answers to guests apply (`request/guest-answer.ts`); undefined if it shows everything. */
export function guestViewOf(object: string): GuestView<PublicObject> | undefined {
  return views.get(object)
}

/** A look-up that finds a guest only what the rule shows, so that everything else is missing for the guest. */
export function findForGuests<Row extends NounRow>(rule: GuestRule<Row> | undefined, find: Find<Row>): Find<Row> {
  return (reader, tenant, reference, parent) => {
    const found = find(reader, tenant, reference, parent)
    return 'guest' in tenant && tenant.guest !== null ? onlySeen(rule, found, reader, tenant) : found
  }
}

type Find<Row> = (
  reader: Reader,
  tenant: Tenant | Caller,
  reference: string,
  parent?: NounRow,
) => MaybePromise<Row | undefined>

async function onlySeen<Row extends NounRow>(
  rule: GuestRule<Row> | undefined,
  found: MaybePromise<Row | undefined>,
  reader: Reader,
  caller: Caller,
): Promise<Row | undefined> {
  const row = await found
  const { guest } = caller
  if (row === undefined || guest === null) return row
  return (await isSeenBy(rule, row, guest, { reader, caller })) ? row : undefined
}

/** A noun without its row type. */
export interface AnyNoun {
  readonly object: string
  /** The prefix of its ids, without `_`. */
  readonly prefix: string
  readonly table: keyof Schema
  readonly schema: TObject
  /** The scope needed to show it expanded in another object. */
  readonly readScope: Scope
  /** Its objects belong to a workspace, so requests may name one. */
  readonly workspaced: boolean
  /** Deleted ids answer 404 instead of 410 (contract/02#deleted-objects). */
  readonly forgets: boolean
  /** `parent` is the row of the outer id in a nested path. */
  find(reader: Reader, tenant: Tenant, reference: string, parent?: NounRow): MaybePromise<NounRow | undefined>
  /** The user to whom the object belongs; to others its id is unknown. Absent if the organization shares such objects. */
  personOf?(row: NounRow): string
  /** Which objects a guest sees; absent: none. */
  readonly guests?: AnyGuestRule
  /** A sentence that names the reference to use instead of one that names no row, if it can be known. */
  readonly instead?: (reader: Reader, tenant: Tenant, reference: string) => Promise<string | null>
  show(row: NounRow): PublicObject
}

export interface Noun<Row extends NounRow = NounRow, Public extends PublicObject = PublicObject> extends AnyNoun {
  /** The row of a reference, deleted ones included. */
  find(reader: Reader, tenant: Tenant, reference: string, parent?: NounRow): MaybePromise<Row | undefined>
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
  readonly find?: (reader: Reader, tenant: Tenant, reference: string) => MaybePromise<Schema[T] | undefined>
  readonly personOf?: (row: Schema[T]) => string
  readonly guests?: GuestRule<Schema[T]>
  /** What a guest sees of an object. Default: all of it. */
  readonly guestView?: GuestView<Public>
  readonly show: (row: Schema[T]) => Public
}

/** Declares a noun with its own table, found by realm and id. */
export function noun<T extends ResourceTable, Public extends PublicObject>(
  declared: Declaration<T, Public>,
): Noun<Schema[T], Public> & { readonly table: T } {
  const { guestView, ...rest } = declared
  const byId = findById(declared.table)
  const find: Find<Schema[T]> =
    declared.find ?? ((reader, { realm }, reference) => reader.first(byId, { realm, id: reference }))
  // Only objects of this kind are passed to the view.
  if (guestView !== undefined) views.set(declared.object, guestView as unknown as GuestView<PublicObject>)
  return {
    workspaced: true,
    forgets: false,
    ...rest,
    find: findForGuests(declared.guests, find),
  }
}

/** The query for a row by realm and id, deleted ones included. */
export function findById<T extends ResourceTable>(table: T) {
  return query<Schema[T], { realm: number; id: string }>((db, p) =>
    selectRows(db, table).where('realm', '=', p('realm')).where('id', '=', p('id')),
  )
}
