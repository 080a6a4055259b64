/**
 * Finds the objects of a path. Missing, foreign, of another workspace, or below another parent: 404, all with the same
 * answer (contract/02#foreign-objects). Deleted: 410. Other revision than the precondition's: 409.
 */
import type { Reader } from '../../db/store.ts'
import { actingUser, type Caller, guestOf, type Tenant } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import type { AnyNoun, Noun, NounRow } from '../declare/noun.ts'
import type { Operation } from '../declare/operation.ts'
import type { Precondition } from '../declare/request.ts'
import { requireRevision } from './conditional.ts'

interface TargetQuery {
  readonly reader: Reader
  readonly caller: Tenant | Caller
  readonly params: Readonly<Record<string, string>>
  readonly workspace: string | undefined
  readonly precondition: Precondition | null
}

export interface Targets {
  readonly target: NounRow | null
  readonly parent: NounRow | null
}

const nothing: Targets = { target: null, parent: null }

/** The usable rows of the path's ids; refuses otherwise. */
export async function findTarget(operation: Operation, sought: TargetQuery): Promise<Targets> {
  if (operation.target === null && operation.parent === null) return nothing
  const names = pathParameters(operation)
  const id = (index: number): string => sought.params[names[index] as string] as string
  const parent = operation.parent === null ? null : await findUsable(operation.parent, sought, id(0))
  // A parent's id comes first in the path.
  const inner = operation.parent === null ? 0 : 1
  const target =
    operation.target === null ? null : await lookUp(operation.target, sought, id(inner), parent ?? undefined)
  if (target !== null) {
    if (operation.within?.(target, parent) === false) throw notFound(operation.target as AnyNoun)
    refuseDeleted(operation.target as AnyNoun, target)
    requireRevision(sought.precondition, target.revision)
  }
  return { target, parent }
}

const parameter_names = new WeakMap<Operation, readonly string[]>()

/** The names of the path's parameters from left to right. */
function pathParameters(operation: Operation): readonly string[] {
  let names = parameter_names.get(operation)
  if (names === undefined) {
    names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
    parameter_names.set(operation, names)
  }
  return names
}

/** The live row of an id outside an operation's path, for the console and the command line. */
export async function requireLive<Row extends NounRow>(
  noun: Noun<Row>,
  reader: Reader,
  tenant: Tenant,
  id: string,
): Promise<Row> {
  const sought = { reader, caller: tenant, params: {}, workspace: undefined, precondition: null }
  return (await findUsable(noun, sought, id)) as Row
}

async function findUsable(noun: AnyNoun, sought: TargetQuery, id: string): Promise<NounRow> {
  const row = await lookUp(noun, sought, id)
  refuseDeleted(noun, row)
  return row
}

async function lookUp(noun: AnyNoun, sought: TargetQuery, id: string, parent?: NounRow): Promise<NounRow> {
  // No id contains U+0000, and PostgreSQL refuses to look one up.
  if (id.includes('\0')) throw notFound(noun)
  const row = await noun.find(sought.reader, sought.caller, id, parent)
  if (row === undefined || !isOwn(noun, row, sought.caller) || isClosed(noun, sought.caller)) throw notFound(noun)
  if (noun.workspaced && sought.workspace !== undefined && row.workspace !== sought.workspace) throw notFound(noun)
  return row
}

/** A person's own object exists for that person only. */
function isOwn({ personOf }: AnyNoun, row: NounRow, caller: Tenant | Caller): boolean {
  if (personOf === undefined) return true
  return 'serviceUser' in caller && personOf(row) === actingUser(caller)
}

/** A noun without a rule for guests has nothing for them, whatever its look-up finds. */
function isClosed({ guests }: AnyNoun, caller: Tenant | Caller): boolean {
  return guests === undefined && guestOf(caller) !== null
}

function refuseDeleted(noun: AnyNoun, row: NounRow): void {
  if (row.deleted_at === null || row.deleted_at === undefined) return
  if (noun.forgets) throw notFound(noun)
  throw refuse('resource_deleted', { message: `This ${noun.object} was deleted.` })
}

function notFound(noun: AnyNoun): Error {
  return refuse('resource_not_found', { message: `No such ${noun.object}.` })
}
