/** Where a request names an object, and with what ids each such place can be tried. */
import type { Operation } from '../../src/api/operation.ts'
import type { ValidCall } from '../things.ts'

/** One place of a request that holds an id. */
export interface Place {
  /** For the reader of a failure: `body task`. */
  readonly name: string
  /** The parameter that a refusal has to name; `null` where none applies. */
  readonly param: string | null
  /** An id that stands for nothing is no mistake there: nothing is found. */
  readonly filters?: boolean
  /** Before the `_` of the ids that belong there. */
  readonly prefixes: readonly string[]
  /** The call with another id there. */
  readonly put: (call: ValidCall, id: string) => ValidCall
}

/** The prefixes of what a field or parameter of this name stands for. */
const named: Readonly<Record<string, readonly string[]>> = {
  workspace: ['wsp'],
  portfolio: ['pfl'],
  project: ['prj'],
  column: ['col'],
  task: ['tsk'],
  to: ['tsk'],
  assignee: ['usr'],
  user: ['usr'],
  target: ['prj', 'usr'],
  filter: ['flt'],
  automation_flow: ['flow'],
}

const id_pattern = '^[A-Za-z0-9][A-Za-z0-9:_-]*$'
const public_id = /^([a-z]{2,4})_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Fields that take ids inside a list of objects, by operation. */
const inside: Readonly<Record<string, readonly string[]>> = {
  'tasks.batch': ['project', 'column', 'assignee'],
  'columns.reorder': ['id'],
}

export function placesOf(operation: Operation, call: ValidCall): Place[] {
  return [...pathPlaces(call), ...queryPlaces(operation), ...bodyPlaces(operation), ...insidePlaces(operation, call)]
}

function pathPlaces(call: ValidCall): Place[] {
  return Object.entries(call.params).map(([name, id]) => ({
    name: `path ${name}`,
    param: null,
    prefixes: [public_id.exec(id)?.[1] ?? 'tsk'],
    put: (from, other) => ({ ...from, params: { ...from.params, [name]: other } }),
  }))
}

function queryPlaces(operation: Operation): Place[] {
  return Object.keys(operation.query)
    .filter((name) => named[name] !== undefined && !(operation.id === 'audit_logs.list' && name === 'target'))
    .map((name) => ({
      name: `query ${name}`,
      param: isBelow(operation) ? null : name,
      prefixes: named[name] as readonly string[],
      filters: name === 'assignee',
      put: (from, id) => ({ ...from, query: { ...from.query, [name]: id } }),
    }))
}

function bodyPlaces(operation: Operation): Place[] {
  const properties = (operation.body?.properties ?? {}) as Record<string, object>
  return Object.entries(properties)
    .filter(([name, schema]) => named[name] !== undefined && (takesId(schema) || name === 'filter'))
    .map(([name, schema]) => ({
      name: `body ${name}`,
      param: name === 'workspace' && isBelow(operation) ? null : name,
      prefixes: named[name] as readonly string[],
      put: (from, id) => ({
        ...from,
        body: { ...(from.body as object), [name]: 'items' in schema ? [id] : id },
      }),
    }))
}

/** A workspace named beside an object in the path: the object is none of another workspace's. */
function isBelow(operation: Operation): boolean {
  return operation.target !== null || operation.parent !== null
}

function takesId(schema: object): boolean {
  return JSON.stringify(schema).includes(JSON.stringify(id_pattern))
}

function insidePlaces(operation: Operation, call: ValidCall): Place[] {
  const { data } = (call.body ?? {}) as { data?: object[] }
  return (inside[operation.id] ?? []).map((name) => ({
    name: `body data[0].${name}`,
    param: name === 'id' ? 'data[0]' : `data[0].${name}`,
    prefixes: name === 'id' ? ['col'] : (named[name] as readonly string[]),
    put: (from, id) => {
      const [first, ...rest] = data as object[]
      const item = typeof first === 'string' ? id : { ...first, [name]: id }
      return { ...from, body: { ...(from.body as object), data: [item, ...rest] } }
    },
  }))
}

/** The fields of a body that hold ids and are tried by nobody: to be listed in `named`. */
export function untried(operation: Operation): string[] {
  const properties = (operation.body?.properties ?? {}) as Record<string, object>
  const isKnown = (name: string) => named[name] !== undefined || (name === 'data' && inside[operation.id] !== undefined)
  return Object.keys(properties).filter((name) => takesId(properties[name] as object) && !isKnown(name))
}
