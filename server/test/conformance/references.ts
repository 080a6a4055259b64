/** The places of a request that hold an id, so that tests can put other ids there. */
import type { Operation } from '../../src/api/declare/operation.ts'
import type { ValidCall } from '../things.ts'

/** A place of a request that holds an id. */
export interface IdPlace {
  /** In messages: `body task`. */
  readonly name: string
  /** The `param` of a refusal; `null` if none applies. */
  readonly param: string | null
  /** An unknown id is accepted and matches nothing. */
  readonly filters?: boolean
  /** Prefixes of the ids that belong there. */
  readonly prefixes: readonly string[]
  /** The call with this id in the place. */
  readonly put: (call: ValidCall, id: string) => ValidCall
}

/** Field or parameter → prefixes of the ids that it takes. */
const prefixes_by_name: Readonly<Record<string, readonly string[]>> = {
  workspace: ['wsp'],
  portfolio: ['pfl'],
  project: ['prj'],
  column: ['col'],
  task: ['tsk'],
  parent: ['tsk'],
  before: ['tsk'],
  after: ['tsk'],
  to: ['tsk'],
  assignee: ['usr'],
  author: ['usr'],
  creator: ['usr'],
  user: ['usr'],
  target: ['prj', 'usr'],
  filter: ['flt'],
  automation_flow: ['flow'],
  automation_run: ['run'],
  subject: ['tsk', 'brd'],
  through: ['ntf'],
  thread: ['bcm'],
}

/** They narrow what a request is about. */
const filter_names: ReadonlySet<string> = new Set(['assignee', 'subject', 'through'])

const id_pattern = '^[A-Za-z0-9][A-Za-z0-9:_-]*$'
const public_id = /^([a-z]{2,4})_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Operation → fields of `data[]` that take ids. */
const nested_ids: Readonly<Record<string, readonly string[]>> = {
  'tasks.batch': ['project', 'column', 'parent', 'assignee'],
  'tasks.import': ['project', 'column', 'parent', 'assignee', 'creator'],
  'columns.reorder': ['id'],
}

/** Operation → an object of the body, and its fields that take ids. */
const object_ids: Readonly<Record<string, { readonly of: string; readonly names: readonly string[] }>> = {
  'task_templates.create': { of: 'defaults', names: ['assignee'] },
  'task_templates.update': { of: 'defaults', names: ['assignee'] },
  'tasks.bulk': { of: 'set', names: ['project', 'column', 'parent', 'assignee'] },
}

interface IdList {
  readonly name: string
  readonly prefix: string
}

/** Lists of ids, wherever they are in a body. */
const lists_by_name: readonly IdList[] = [
  { name: 'attachments', prefix: 'fil' },
  { name: 'receipts', prefix: 'fil' },
]

/** Operation → a list of ids in the body, with the prefix of the ids. */
const id_lists: Readonly<Record<string, IdList>> = {
  'tasks.bulk': { name: 'tasks', prefix: 'tsk' },
  'undo.create': { name: 'requests', prefix: 'req' },
}

export function placesOf(operation: Operation, call: ValidCall): IdPlace[] {
  return [
    ...[...pathPlaces(call), ...queryPlaces(operation), ...bodyPlaces(operation)],
    ...[...insidePlaces(operation, call), ...objectPlaces(operation), ...listPlaces(operation)],
  ]
}

function pathPlaces(call: ValidCall): IdPlace[] {
  return Object.entries(call.params).map(([name, id]) => ({
    name: `path ${name}`,
    param: null,
    prefixes: [public_id.exec(id)?.[1] ?? 'tsk'],
    put: (from, other) => ({ ...from, params: { ...from.params, [name]: other } }),
  }))
}

function queryPlaces(operation: Operation): IdPlace[] {
  return Object.keys(operation.query)
    .filter(
      (name) => prefixes_by_name[name] !== undefined && !(operation.id === 'audit_logs.list' && name === 'target'),
    )
    .map((name) => ({
      name: `query ${name}`,
      param: name === 'workspace' && isBelow(operation) ? null : name,
      prefixes: prefixes_by_name[name] as readonly string[],
      filters: filter_names.has(name),
      put: (from, id) => ({ ...from, query: { ...from.query, [name]: id } }),
    }))
}

/** Field → what is sent with it. An id to read through counts by its time, so it is tried where there is nothing to mark. */
const beside: Readonly<Record<string, object>> = { through: { subject: 'tsk_01K00000000000000000000000' } }

function bodyPlaces(operation: Operation): IdPlace[] {
  const properties = (operation.body?.properties ?? {}) as Record<string, object>
  return Object.entries(properties)
    .filter(([name, schema]) => prefixes_by_name[name] !== undefined && (takesId(schema) || name === 'filter'))
    .map(([name, schema]) => ({
      name: `body ${name}`,
      param: name === 'workspace' && isBelow(operation) ? null : name,
      prefixes: prefixes_by_name[name] as readonly string[],
      filters: operation.id === 'notifications.read_all',
      put: (from, id) => ({
        ...from,
        body: { ...(from.body as object), ...beside[name], [name]: 'items' in schema ? [id] : id },
      }),
    }))
}

/** Whether the path names an object: a wrong `workspace` beside it is a 404. */
function isBelow(operation: Operation): boolean {
  return operation.target !== null || operation.parent !== null
}

function takesId(schema: object): boolean {
  return JSON.stringify(schema).includes(JSON.stringify(id_pattern))
}

function insidePlaces(operation: Operation, call: ValidCall): IdPlace[] {
  const { data } = (call.body ?? {}) as { data?: object[] }
  return (nested_ids[operation.id] ?? []).map((name) => ({
    name: `body data[0].${name}`,
    param: name === 'id' ? 'data[0]' : `data[0].${name}`,
    prefixes: name === 'id' ? ['col'] : (prefixes_by_name[name] as readonly string[]),
    put: (from, id) => {
      const [first, ...rest] = data as object[]
      const item = typeof first === 'string' ? id : { ...first, [name]: id }
      return { ...from, body: { ...(from.body as object), data: [item, ...rest] } }
    },
  }))
}

function objectPlaces(operation: Operation): IdPlace[] {
  const { of = '', names = [] } = object_ids[operation.id] ?? {}
  return names.map((name) => ({
    name: `body ${of}.${name}`,
    param: `${of}.${name}`,
    prefixes: prefixes_by_name[name] as readonly string[],
    put: (from, id) => {
      const body = from.body as Readonly<Record<string, object>>
      return { ...from, body: { ...body, [of]: { ...body[of], [name]: id } } }
    },
  }))
}

function listPlaces(operation: Operation): IdPlace[] {
  return listsOf(operation).map(({ name, prefix }) => ({
    name: `body ${name}[0]`,
    // No template lets a request override its attachments, so the whole field is refused.
    param: operation.id === 'task_templates.instantiate' ? name : `${name}[0]`,
    prefixes: [prefix],
    put: (from, id) => ({ ...from, body: { ...(from.body as object), [name]: [id] } }),
  }))
}

function listsOf(operation: Operation): IdList[] {
  const own = id_lists[operation.id]
  const common = lists_by_name.filter(({ name }) => operation.body?.properties[name] !== undefined)
  return own === undefined ? common : [own, ...common]
}

/** Body fields that take ids and are missing in `prefixes_by_name`. */
export function unlistedIdFields(operation: Operation): string[] {
  const properties = (operation.body?.properties ?? {}) as Record<string, object>
  const isKnown = (name: string) =>
    prefixes_by_name[name] !== undefined ||
    (name === 'data' && nested_ids[operation.id] !== undefined) ||
    name === object_ids[operation.id]?.of ||
    listsOf(operation).some((list) => list.name === name)
  return Object.keys(properties).filter((name) => takesId(properties[name] as object) && !isKnown(name))
}
