/** Options that several commands take, and how their values are read. */
import { isScope, type Scope, scopes } from '../api/declare/scopes.ts'
import { titleFault } from '../api/declare/shapes.ts'
import { limits } from '../api/limits.ts'
import { quoted } from '../lib/quoted.ts'
import { type JsonValue, parseStrictJson } from '../lib/strict-json.ts'
import { didYouMean } from './api/suggest.ts'
import { Fault, type Option } from './command.ts'

export const organizationOption = {
  shows: '<id>',
  does: 'Id of the organization, as init prints it.',
  required: true,
} as const satisfies Option

export const modeOption = {
  shows: '<mode>',
  does: 'Data set: live (default) or test.',
  choices: ['live', 'test'],
} as const satisfies Option

export const workspaceOption = { shows: '<id>', does: 'Id of the workspace.', required: true } as const

export const lifeOption = (does: string) =>
  ({
    shows: '<seconds>',
    does,
    read: (text: string) => wholeNumber(text, 1, limits.credential_life_seconds_max),
  }) as const

export const scopesOption = {
  shows: '<list>',
  does: 'Scopes separated by commas, or all (default).',
  read: readScopes,
} as const

/** A text of 1 to `chars_max` characters. */
export function text(chars_max: number): (text: string) => string {
  return (given) => {
    if (given.trim() === '' || [...given].length > chars_max) throw new Fault(`must have 1 to ${chars_max} characters`)
    const fault = titleFault(given)
    if (fault !== null) throw new Fault(fault)
    return given
  }
}

/** The same, or nothing: an empty text unsets a field. */
export function textOrNone(chars_max: number): (text: string) => string {
  return (given) => (given === '' ? '' : text(chars_max)(given))
}

/** A JSON text in the form that the API takes too: each name once, valid Unicode. */
export function json(text: string): JsonValue {
  const read = parseStrictJson(text, { depth_max: limits.json_depth_max })
  if (!read.ok) throw new Fault(`must be JSON: ${read.message.replace(/\.$/, '')}`)
  return read.value
}

export function wholeNumber(text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum)) {
    throw new Fault(`must be a whole number from ${minimum} to ${maximum}`)
  }
  return value
}

/** A moment in ISO 8601 with its zone, or in seconds since 1970; returns milliseconds. */
export function moment(text: string): number {
  if (/^\d{1,11}(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000)
  const isComplete = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:?\d\d)$/.test(text)
  const value = isComplete ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (Number.isNaN(value))
    throw new Fault('must be a time with its zone, such as 2027-01-31T12:00:00Z, or seconds since 1970')
  return value
}

export function email(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text) || text.length > limits.email_chars_max)
    throw new Fault('must be an e-mail address such as ada@acme.example')
  return text
}

/** A domain name of at least two labels, in lower case. */
export function domain(text: string): string {
  const name = text.toLowerCase()
  const labels = name.split('.')
  const wrong = labels.some((label) => !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  if (wrong || labels.length < 2 || name.length > limits.domain_chars_max)
    throw new Fault('must be a domain name such as acme.example')
  return name
}

export function list(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function readScopes(text: string): readonly Scope[] {
  if (text === 'all') return scopes
  const names = [...new Set(list(text))]
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) {
    const advice = didYouMean(unknown, scopes) || ` Use all, or ${scopes.join(', ')}.`
    throw new Fault(`has an unknown scope, ${quoted(unknown)}.${advice}`)
  }
  if (names.length === 0) throw new Fault('must name a scope, or all')
  return names as Scope[]
}
