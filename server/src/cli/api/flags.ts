/** The flags of an operation, derived from its declaration, and those that `atrium api` has for every operation. */
import type { Operation } from '../../api/declare/operation.ts'
import { connectionOptions, patienceOptions } from '../client/connection.ts'
import { type Option, spelled } from '../command.ts'
import { type FieldType, fieldTypeOf } from './field-types.ts'

export interface Flag {
  /** As typed, without the dashes: `due-at`. */
  readonly name: string
  /** As in the contract: `due_at`. */
  readonly field: string
  readonly place: 'path' | 'query' | 'body'
  readonly type: FieldType
  readonly required: boolean
  /** Several values in one text, with commas between. */
  readonly commas: boolean
  readonly does: string
}

const outputs = ['table', 'json', 'jsonl', 'csv'] as const
export type Output = (typeof outputs)[number]

/** What `atrium api` itself takes. An operation's own flag of the same name wins behind the operation's name. */
export const clientFlags = {
  ...connectionOptions,
  ...patienceOptions,
  input: {
    shows: '<file>',
    does: 'JSON object to send as the body, or the file to upload; - is standard input. Flags override fields.',
  },
  output: {
    shows: '<form>',
    does: 'Form of the output: table (default on a terminal), json (default elsewhere), jsonl or csv.',
    choices: outputs,
  },
  json: { shows: '', flag: true, does: 'Print exactly one JSON document in one line.' },
  fields: { shows: '<list>', does: 'Show only these fields, separated by commas.' },
  all: { shows: '', flag: true, does: 'Fetch all pages of a list.' },
  limit: { shows: '<n>', does: 'Number of objects of a list or stream; fetches as many pages as needed.' },
  idempotencyKey: { shows: '<key>', does: 'Idempotency key of a write; a new one by default. Retries keep it.' },
  ifMatch: { shows: '<revision>', does: 'Change the object only at this revision: 7, or its ETag.' },
  dryRun: { shows: '', flag: true, does: 'Run all checks of a write and show its result, without a change.' },
  include: { shows: '', flag: true, does: 'Show the status and headers of answers, on standard error.' },
  help: { shows: '', flag: true, does: 'Show help; after the name of an operation, its own.' },
} as const satisfies Record<string, Option>

export type ClientFlag = keyof typeof clientFlags

/** The client's flags by the name that is typed. */
export const clientFlagNames: ReadonlyMap<string, ClientFlag> = new Map(
  (Object.keys(clientFlags) as ClientFlag[]).map((name) => [spelled(name, '-'), name]),
)

/** A list's size and fields are the client's: it fetches as many pages as they take. */
const taken: ReadonlySet<string> = new Set(['limit', 'fields'])

export function pathNames(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
}

/** The flags of an operation: path, query, body. A field that a DELETE takes in either place is sent in the query. */
export function flagsOf(operation: Operation): Flag[] {
  const flags = new Map<string, Flag>()
  const add = (field: string, rest: Omit<Flag, 'name' | 'field'>): void => {
    if (!flags.has(field)) flags.set(field, { name: field.replaceAll('_', '-'), field, ...rest })
  }
  for (const name of pathNames(operation)) {
    const does = 'Id in the path; may follow the operation without the flag.'
    add(name, { place: 'path', type: fieldTypeOf({ type: 'string' }), required: true, commas: false, does })
  }
  for (const [name, parameter] of Object.entries(operation.query)) {
    if (taken.has(name)) continue
    const { schema, required, description } = parameter
    const commas = parameter.commas ?? false
    add(name, { place: 'query', type: fieldTypeOf(schema, name), required, commas, does: description })
  }
  const needed = new Set(operation.body?.required ?? [])
  for (const [name, schema] of Object.entries(operation.body?.properties ?? {})) {
    const type = fieldTypeOf(schema, name)
    add(name, { place: 'body', type, required: needed.has(name), commas: false, does: '' })
  }
  return [...flags.values()]
}

/** The field names of what an operation answers: of a list those of its objects. */
export function answerFields(operation: Operation): readonly string[] {
  const schema = (operation.lists?.schema ?? operation.returns) as { properties?: object }
  return Object.keys(schema.properties ?? {})
}
