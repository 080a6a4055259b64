/**
 * The objects that a path names. Not there, another organization's, another realm's, of another workspace than the named
 * one, or below another parent: 404, all alike. A tombstone: 410. Another revision than the precondition's: 409
 * (decisions §2, §5, §6).
 */
import type { Reader } from '../db/store.ts'
import type { Caller } from './caller.ts'
import { type Precondition, requireRevision } from './conditional.ts'
import { refuse } from './errors.ts'
import type { AnyNoun, NounRow } from './noun.ts'
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
  const [outer, inner] = pathIds(operation, sought.params)
  const parent = operation.parent === null ? null : await usable(operation.parent, sought, outer as string)
  const target =
    operation.target === null ? null : await lookUp(operation.target, sought, inner as string, parent ?? undefined)
  if (target !== null) {
    const within = operation.within as ((target: NounRow, parent: NounRow | null) => boolean) | null
    if (within !== null && !within(target, parent)) throw missing(operation.target as AnyNoun)
    refuseDeleted(operation.target as AnyNoun, target)
    requireRevision(sought.precondition, target.revision)
  }
  return { target, parent }
}

/** The ids of the path from left to right: the parent's first, where there is one. */
function pathIds(operation: Operation, params: Readonly<Record<string, string>>): (string | undefined)[] {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => params[match[1] as string])
  return operation.parent === null ? [undefined, names[0]] : names
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
