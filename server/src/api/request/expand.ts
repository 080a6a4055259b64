/**
 * `expand=` replaces ids in an answer by their objects, with one query per noun (contract/06#expansion). Each object needs
 * its read scope. A deleted object is shown as `{ id, object, deleted: true }`.
 */
import Type, { type TSchema } from 'typebox'
import { isOneOf } from '../../db/dialect.ts'
import { type MaybePromise, type Placeholder, type Query, query, selectRows } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import type { Caller } from '../declare/caller.ts'
import { refuse } from '../declare/errors.ts'
import { type AnyNoun, isSeenBy, type NounRow } from '../declare/noun.ts'
import { namesParameter, type Parameter } from '../declare/parameters.ts'
import { choices, quoted, suggest } from '../declare/quoted.ts'
import { Deleted, Nullable } from '../declare/shapes.ts'
import { limits } from '../limits.ts'
import { requireScope } from './authorize.ts'

/** A field that can be expanded. */
interface Expansion {
  readonly noun: AnyNoun
  /** Reads the rows with these ids; `ids` is a JSON array. */
  readonly read: Query<NounRow, { realm: number; organization: string; ids: string }>
  /** The column that references contain. Default: `id`. */
  readonly key?: string
  readonly inner?: Expansions
}

/** Expansions by field name. */
export type Expansions = Readonly<Record<string, Expansion>>

type Shown = Readonly<Record<string, unknown>>

/** The `Expansion.read` of a resource's table. */
export function readByIds(
  table: 'projects' | 'columns' | 'portfolios',
): Query<NounRow, { realm: number; ids: string }> {
  return query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
    selectRows(db, table)
      .where('realm', '=', p('realm'))
      .where(isOneOf(dialect, 'id', p('ids'))),
  )
}

/** `assignee` (a member; its `user` is the id), for the description. */
function describeExpansion(path: string, expansions: Expansions): string {
  let level: Expansions | undefined = expansions
  let expansion: Expansion | undefined
  for (const name of path.split('.')) {
    expansion = level?.[name]
    level = expansion?.inner
  }
  const key = expansion?.key === undefined ? '' : `; its \`${expansion.key}\` is the id`
  return `\`${path}\` (a ${expansion?.noun.object}${key})`
}

/** The `expand` parameter of an operation that shows objects with these fields. */
export function expandParameter(expansions: Expansions): Parameter<readonly string[]> {
  const known = pathsOf(expansions)
  const shown = known.map((path) => describeExpansion(path, expansions)).join(', ')
  const description = `Names of fields to show as objects instead of ids, separated by commas in a URL: ${shown}. Writes take ids.`
  const names = namesParameter(limits.expand_max, description, known)
  return {
    ...names,
    read(texts, name) {
      const paths = names.read(texts, name)
      for (const path of paths) {
        if (known.includes(path)) continue
        const message = `${quoted(path)} cannot be expanded.${suggest(path, known)} Use ${choices(known)}.`
        throw refuse('invalid_query_parameter', { param: name, message })
      }
      return paths
    },
  }
}

function pathsOf(expansions: Expansions, before = ''): string[] {
  return Object.entries(expansions).flatMap(([field, { inner }]) => [
    `${before}${field}`,
    ...pathsOf(inner ?? {}, `${before}${field}.`),
  ])
}

/** The schema of a field that can be expanded. */
export function Expandable(id: TSchema, object: TSchema, name: string) {
  return Nullable(Type.Union([id, object, Deleted(name)]))
}

/** The objects with the named fields expanded; `project.portfolio` expands `project` as well. */
export async function expand<T extends object>(
  from: { readonly reader: Reader; readonly caller: Caller },
  expansions: Expansions,
  paths: readonly string[] | undefined,
  objects: readonly T[],
): Promise<readonly object[]> {
  if (paths === undefined) return objects
  requireScopes(from.caller, expansions, paths)
  return await expandFields(from, expansions, paths, objects)
}

/** Checked before reading, so that a refusal does not depend on the data. */
function requireScopes(caller: Caller, expansions: Expansions, paths: readonly string[]): void {
  for (const [field, inner] of byField(paths)) {
    const { noun, inner: deeper } = expansions[field] as Expansion
    requireScope(caller, noun.readScope)
    if (caller.guest !== null && noun.guests === undefined) {
      throw refuse('insufficient_scope', { message: `Guests do not see the ${noun.object} of an object.` })
    }
    requireScopes(caller, deeper ?? {}, inner)
  }
}

/** The fields of an object, which are read by the names of a request. */
function fieldsOf(object: object): Shown {
  return object as Shown
}

/** Groups paths by their first part; the values are the remaining parts. */
function byField(paths: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const path of paths) {
    const at = path.indexOf('.')
    const field = at < 0 ? path : path.slice(0, at)
    const rests = fields.get(field) ?? []
    fields.set(field, at < 0 ? rests : [...rests, path.slice(at + 1)])
  }
  return fields
}

async function expandFields(
  from: { readonly reader: Reader; readonly caller: Caller },
  expansions: Expansions,
  paths: readonly string[],
  objects: readonly object[],
): Promise<readonly object[]> {
  let expanded = objects
  for (const [field, inner] of byField(paths)) {
    const expansion = expansions[field] as Expansion
    const found = await readObjects(from, expansion, inner, idsOf(objects, field))
    expanded = expanded.map((object) => {
      const id = fieldsOf(object)[field]
      if (typeof id !== 'string') return object
      return { ...object, [field]: found.get(id) ?? { id, object: expansion.noun.object, deleted: true } }
    })
  }
  return expanded
}

function idsOf(objects: readonly object[], field: string): string[] {
  const ids = objects.map((object) => fieldsOf(object)[field]).filter((id) => typeof id === 'string')
  return [...new Set(ids)]
}

/** An object that a guest does not see looks like one that was deleted. */
function isShown(
  { reader, caller }: { readonly reader: Reader; readonly caller: Caller },
  noun: AnyNoun,
  row: NounRow,
): MaybePromise<boolean> {
  if (row.deleted_at) return false
  return caller.guest === null || isSeenBy(noun.guests, row, caller.guest, { reader, caller })
}

/** The live objects with these ids, with their own expansions. */
async function readObjects(
  from: { readonly reader: Reader; readonly caller: Caller },
  { noun, read, key = 'id', inner = {} }: Expansion,
  paths: readonly string[],
  ids: readonly string[],
): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map()
  const { realm, organization } = from.caller
  const rows = await from.reader.all(read, { realm, organization, ids: JSON.stringify(ids) })
  const seen = await Promise.all(rows.map((row) => isShown(from, noun, row)))
  const live = rows.filter((_, i) => seen[i])
  const shown = await expandFields(
    from,
    inner,
    paths,
    live.map((row) => noun.show(row)),
  )
  return new Map(live.map((row, i) => [String(fieldsOf(row)[key]), shown[i] as object]))
}
