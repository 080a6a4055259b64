/** What a `trigger.call` takes, and the inputs of a call as the expressions of the called flow see them (contract/16#calls). */
import { kindOf } from './cel-data.ts'
import { automation_limits } from './limits.ts'
import { isRecord } from './shape.ts'

export const call_input_kinds = ['text', 'integer', 'number', 'boolean', 'list', 'object'] as const

type CallInputKind = (typeof call_input_kinds)[number]

export interface CallInput {
  readonly key: string
  readonly kind: CallInputKind
  readonly required?: boolean
  readonly label?: string
}

/** The inputs that a trigger declares. The graph may still have faults; what is malformed is left out. */
export function declaredInputs(inputs: unknown): readonly CallInput[] {
  return (Array.isArray(inputs) ? inputs : []).filter(
    (one): one is CallInput =>
      isRecord(one) &&
      typeof one.key === 'string' &&
      /^[a-z][a-z0-9_]*$/.test(one.key) &&
      call_input_kinds.some((kind) => kind === one.kind),
  )
}

const types: Readonly<Record<CallInputKind, string>> = {
  text: 'string',
  integer: 'int',
  // A whole number is an int in expressions, another one a double.
  number: 'dyn',
  boolean: 'bool',
  list: 'list<dyn>',
  object: 'map<string, dyn>',
}

/** The CEL types of the inputs by key. An optional one may be null. */
export function callTypes(inputs: unknown): Record<string, string> {
  return Object.fromEntries(
    declaredInputs(inputs).map(({ key, kind, required }) => [key, required === true ? types[kind] : 'dyn']),
  )
}

const accepts: Readonly<Record<CallInputKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: isRecord,
}

const said: Readonly<Record<CallInputKind, string>> = {
  text: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
}

export interface InputFault {
  /** The name of the input; null if the fault is of all together. */
  readonly key: string | null
  readonly what: string
}

/** Whether a value is computed by the calling run, and so unknown while its graph is checked. */
export type IsUnknown = (value: unknown) => boolean

const nothing_unknown: IsUnknown = () => false

/** What is wrong with the inputs of a call; empty if nothing is. */
export function inputFaults(
  declared: readonly CallInput[],
  given: Readonly<Record<string, unknown>>,
  isUnknown: IsUnknown = nothing_unknown,
): readonly InputFault[] {
  const names = declared.map(({ key }) => key)
  const unknown = Object.keys(given).filter((key) => !names.includes(key))
  const faults: InputFault[] = unknown.map((key) => ({
    key,
    what: `is not an input of the called flow. ${listed(names)}`,
  }))
  for (const { key, kind, required } of declared) {
    const value = Object.hasOwn(given, key) ? given[key] : null
    if (isUnknown(value)) continue
    if (value === null || value === undefined) {
      if (required === true) faults.push({ key, what: 'is required by the called flow' })
    } else if (!accepts[kind](value)) {
      faults.push({ key, what: `must be ${said[kind]} for the called flow, but is of type ${kindOf(value)}` })
    }
  }
  return faults.length > 0 ? faults : tooLarge('The inputs of the call', given)
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'It takes none' : `It takes ${names.join(', ')}`
}

function tooLarge(what: string, value: unknown): InputFault[] {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length
  if (bytes <= automation_limits.automation_call_bytes_max) return []
  return [
    {
      key: null,
      what: `${what} have ${bytes} bytes as JSON; at most ${automation_limits.automation_call_bytes_max} are allowed`,
    },
  ]
}

/** The inputs by key; those that are left out are null. */
export function callValues(
  declared: readonly CallInput[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(declared.map(({ key }) => [key, Object.hasOwn(given, key) ? (given[key] ?? null) : null]))
}

/** Why a run cannot return this output; null if it can. */
export function outputFault(output: unknown): string | null {
  const [fault] = tooLarge('The output', output)
  return fault === undefined ? null : fault.what.replace(' have ', ' has ')
}
