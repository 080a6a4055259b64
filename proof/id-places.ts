/** Every place of a request where a foreign value can stand, from the catalogue. */
import type { Operation } from '../server/src/api/declare/operation.ts'
import type { CallOptions } from '../server/test/call.ts'
import { placesOf } from '../server/test/conformance/references.ts'
import type { ValidCall } from '../server/test/things.ts'

export interface Request {
  readonly call: ValidCall
  readonly options: CallOptions
}

export interface IdPlace {
  readonly name: string
  /** The kinds of `Neighbours.foreign` that can stand there. */
  readonly kinds: readonly string[]
  /** The call may be valid, so it is sent as a dry run. */
  readonly isRehearsed: boolean
  readonly put: (call: ValidCall, value: string) => Request
}

/** `ids`: every kind of id, for places that accept any text. */
export function idPlacesOf(operation: Operation, call: ValidCall, ids: readonly string[]): IdPlace[] {
  const known = placesOf(operation, call).map((place) => ({
    name: place.name,
    kinds: place.prefixes.flatMap((prefix) => (prefix === 'tsk' ? ['tsk', 'key'] : [prefix])),
    isRehearsed: false,
    put: (from: ValidCall, value: string) => ({ call: place.put(from, value), options: {} }),
  }))
  const named = new Set(known.map(({ name }) => name))
  return [...known, ...cursors(operation), ...headers(operation), ...texts(operation, named, ids)]
}

function inQuery(name: string): IdPlace['put'] {
  return (call, value) => ({ call: { ...call, query: { ...call.query, [name]: value } }, options: {} })
}

function cursors(operation: Operation): IdPlace[] {
  if (operation.lists === null) return []
  const { prefix } = operation.lists
  return ['cursor', 'starting_after', 'ending_before']
    .filter((name) => operation.query[name] !== undefined)
    .map((name) => ({
      name: `query ${name}`,
      kinds: name === 'cursor' ? [`cursor ${operation.id}`, prefix] : [prefix, `cursor ${operation.id}`],
      isRehearsed: false,
      put: inQuery(name),
    }))
}

function headers(operation: Operation): IdPlace[] {
  if (!operation.streams) return []
  const put: IdPlace['put'] = (call, value) => ({ call, options: { headers: { 'last-event-id': value } } })
  return [{ name: 'Last-Event-ID', kinds: ['evt'], isRehearsed: false, put }]
}

/** Parameters and body fields that accept any text. */
function texts(operation: Operation, named: ReadonlySet<string>, ids: readonly string[]): IdPlace[] {
  const paging = ['limit', 'cursor', 'starting_after', 'ending_before']
  const queries = Object.keys(operation.query)
    .filter((name) => !named.has(`query ${name}`) && !paging.includes(name))
    .map((name) => ({ name: `query ${name}`, kinds: ids, isRehearsed: true, put: inQuery(name) }))
  const filters = operation.query.filter === undefined ? [] : ['assignee', 'project', 'workspace', 'column', 'id']
  const expressions = filters.map((field) => ({
    name: `query filter ${field}`,
    kinds: ids,
    isRehearsed: true,
    put: (call: ValidCall, value: string) => inQuery('filter')(call, `${field} = "${value}"`),
  }))
  const members = Object.entries((operation.body?.properties ?? {}) as Record<string, object>)
    .filter(([name, schema]) => !named.has(`body ${name}`) && takesText(schema))
    .map(([name, schema]) => ({
      name: `body ${name}`,
      kinds: name === 'preview_token' ? ['prv'] : ids,
      isRehearsed: true,
      put: (call: ValidCall, value: string) => ({
        call: { ...call, body: { ...(call.body as object), [name]: 'items' in schema ? [value] : value } },
        options: {},
      }),
    }))
  return [...queries, ...expressions, ...members]
}

function takesText(schema: object): boolean {
  return JSON.stringify(schema).includes('"type":"string"') && !('properties' in schema)
}
