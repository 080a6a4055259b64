/**
 * Whether an answer has exactly the shape of the document: valid against the schema, without a field that the schema does
 * not name, and with times in seconds (contract/01#times).
 */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Operation } from '../api/declare/operation.ts'
import { at } from './client.ts'
import { conformLimits } from './conform-limits.ts'

interface Checker {
  Check(value: unknown): boolean
  Errors(value: unknown): readonly { readonly instancePath: string; readonly message: string }[]
}

const checkers = new WeakMap<TSchema, Checker>()

function checkerOf(schema: TSchema): Checker {
  let checker = checkers.get(schema)
  if (checker === undefined) {
    checker = Compile(schema)
    checkers.set(schema, checker)
  }
  return checker
}

/** The faults of an operation's answer. */
export function faultsOfAnswer(operation: Operation, value: unknown): string[] {
  const { returns, lists } = operation
  const faults = faultsOfShape(returns, value)
  const data = at(value, 'data')
  if (lists === null || !Array.isArray(data) || at(value, 'fields_selected') === true) return faults
  // The schema of a list leaves fields of its items optional, for field selection.
  return [...faults, ...data.flatMap((item) => faultsOfShape(lists.schema, item))].slice(0, conformLimits.messages_max)
}

export function faultsOfShape(schema: TSchema, value: unknown): string[] {
  const checker = checkerOf(schema)
  const wrong = checker.Check(value)
    ? []
    : checker.Errors(value).map(({ instancePath, message }) => `${instancePath || 'the answer'} ${message}`)
  return [...new Set([...wrong, ...undeclared(schema, value, '')])].slice(0, conformLimits.messages_max)
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** The fields that the schema does not name; of several alternatives, those of the best match. */
function undeclared(schema: unknown, value: unknown, path: string): string[] {
  const { properties, patternProperties, items, anyOf, additionalProperties } = schema as Shape
  if (anyOf !== undefined) {
    const found = anyOf.map((each) => undeclared(each, value, path))
    return found.reduce((least, each) => (each.length < least.length ? each : least))
  }
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.flatMap((item, i) => undeclared(items, item, `${path}/${i}`))
  }
  if (typeof value !== 'object' || value === null || properties === undefined) return []
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  if (patternProperties !== undefined || isOpen) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = properties[name]
    return own === undefined ? [`${path}/${name} is not in the document`] : undeclared(own, inner, `${path}/${name}`)
  })
}

const time_name = /^(?:created|updated)$|_at$/
/** Fields whose content users name. */
const free_name = /^(?:custom_fields|extra_fields|graph|config|input|output)$/
/** The year 3000 in seconds; today in milliseconds is far beyond. */
const last_second = 32_503_680_000

/** The times in an answer that are not whole seconds. */
export function faultsOfTimes(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => faultsOfTimes(item, `${path}/${i}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = `${path}/${name}`
    if (free_name.test(name)) return []
    if (!time_name.test(name) || inner === null || typeof inner === 'object') return faultsOfTimes(inner, here)
    const fits = Number.isInteger(inner) && (inner as number) >= 0 && (inner as number) < last_second
    return fits ? [] : [`${here} is ${JSON.stringify(inner)}, not a time in Unix seconds`]
  })
}
