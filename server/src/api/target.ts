/**
 * The objects that a path names. Not there, another organization's, another realm's, of another workspace than the named
 * one, or below another parent: 404, all alike. A tombstone: 410. Another revision than the precondition's: 409
 * (decisions §2, §5, §6).
 */
import type { Reader } from '../db/store.ts'
import type { Caller } from './caller.ts'
import { type Precondition, requireRevision } from './conditional.ts'
import { refuse } from './errors.ts'
import type { AnyNoun, Noun, NounRow } from './noun.ts'
import type { Operation } from './operation.ts'

interface Sought {
  readonly reader: Reader
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly workspace: string | undefined
  readonly precondition: Precondition | null
}

export interface Found {
  readonly target: NounRow | null
  readonly parent: NounRow | null
}

const nothing: Found = { target: null, parent: null }

/** The rows of the path's ids, usable; refuses otherwise. */
export async function findTarget(operation: Operation, sought: Sought): Promise<Found> {
  if (operation.target === null && operation.parent === null) return nothing
  const names = placesOf(operation)
  const id = (place: number): string => sought.params[names[place] as string] as string
  const parent = operation.parent === null ? null : await usable(operation.parent, sought, id(0))
  // The parent's id stands first, where there is one.
  const inner = operation.parent === null ? 0 : 1
  const target =
    operation.target === null ? null : await lookUp(operation.target, sought, id(inner), parent ?? undefined)
  if (target !== null) {
    const within = operation.within as ((target: NounRow, parent: NounRow | null) => boolean) | null
    if (within !== null && !within(target, parent)) throw missing(operation.target as AnyNoun)
    refuseDeleted(operation.target as AnyNoun, target)
    requireRevision(sought.precondition, target.revision)
  }
  return { target, parent }
}

const places = new WeakMap<Operation, readonly string[]>()

/** The names of the path's places from left to right. */
function placesOf(operation: Operation): readonly string[] {
  let names = places.get(operation)
  if (names === undefined) {
    names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    places.set(operation, names)
  }
  return names
}

/** The live row of an id that no operation's path names: for the console and what it shares with the command line. */
export async function requireLive<Row>(noun: Noun<Row>, reader: Reader, caller: Caller, id: string): Promise<Row> {
  const sought = { reader, caller, params: {}, workspace: undefined, precondition: null }
  return (await usable(noun as AnyNoun, sought, id)) as Row
}

async function usable(noun: AnyNoun, sought: Sought, id: string): Promise<NounRow> {
  const row = await lookUp(noun, sought, id)
  refuseDeleted(noun, row)
  return row
}

async function lookUp(noun: AnyNoun, sought: Sought, id: string, parent?: NounRow): Promise<NounRow> {
  // No object has such an id, and PostgreSQL refuses to look for one.
  if (id.includes('\0')) throw missing(noun)
  const row = await noun.find(sought.reader, sought.caller, id, parent)
  if (row === undefined) throw missing(noun)
  if (noun.workspaced && sought.workspace !== undefined && row.workspace !== sought.workspace) throw missing(noun)
  return row
}

function refuseDeleted(noun: AnyNoun, row: NounRow): void {
  if (row.deleted_at === null || row.deleted_at === undefined) return
  if (noun.forgets) throw missing(noun)
  throw refuse('resource_deleted', { message: `This ${noun.object} was deleted.` })
}

function missing(noun: AnyNoun): Error {
  return refuse('resource_not_found', { message: `No such ${noun.object}.` })
}
