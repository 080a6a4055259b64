/**
 * JSON Schema as TypeScript. Enumerations are open in answers, because new values must not break a client
 * (contract/01#open-vocabularies), and closed in requests, so a misspelled value does not compile. A schema without a
 * TypeScript equivalent is `unknown`.
 */
import { referred, type Schema } from '../model/document.ts'
import { boundedText } from '../model/parameters.ts'
import { docComment } from './doc-comment.ts'
import { propertyName, quoted } from './names.ts'

export interface Types {
  /** Answered or sent. */
  readonly direction: 'answered' | 'sent'
  /** The TypeScript name of a component; called for each that is used. */
  use(component: string): string
}

const open = '(string & {})'

export function typeText(schema: Schema, types: Types, indent = ''): string {
  const name = referred(schema)
  if (name !== null) return types.use(name)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return words(schema.enum, types)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return union(alternatives.map((each) => typeText(each, types, indent)))
  if (schema.allOf !== undefined) return schema.allOf.map((each) => grouped(typeText(each, types, indent))).join(' & ')
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type: string) => typeText({ ...schema, type }, types, indent)))
  }
  return ofType(schema, types, indent)
}

function ofType(schema: Schema, types: Types, indent: string): string {
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return arrayOf(schema.items === undefined ? 'unknown' : typeText(schema.items, types, indent), types)
    case 'object':
      return objectText(schema, types, indent)
    default:
      return schema.properties === undefined ? 'unknown' : objectText(schema, types, indent)
  }
}

function arrayOf(item: string, types: Types): string {
  return `${types.direction === 'sent' ? 'readonly ' : ''}${grouped(item)}[]`
}

function objectText(schema: Schema, types: Types, indent: string): string {
  const { properties = {}, additionalProperties } = schema
  if (Object.keys(properties).length > 0) return `{\n${fieldsText(schema, types, `${indent}  `)}${indent}}`
  if (additionalProperties === false) return 'Record<string, never>'
  const value = typeof additionalProperties === 'object' ? typeText(additionalProperties, types, indent) : 'unknown'
  return types.direction === 'sent' ? `{ readonly [name: string]: ${value} }` : `{ [name: string]: ${value} }`
}

/** The fields of an object, one per line, with their descriptions. */
export function fieldsText(schema: Schema, types: Types, indent: string): string {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => fieldText(name, field, required.has(name), types, indent))
    .join('')
}

function fieldText(name: string, field: Schema, required: boolean, types: Types, indent: string): string {
  const sent = types.direction === 'sent'
  const type = typeText(field, types, indent)
  const shown = required ? `: ${type}` : sent ? `?: ${type} | undefined` : `?: ${type}`
  const comment = docComment(sent ? boundedText(field) : field.description, indent)
  return `${comment}${indent}${sent ? 'readonly ' : ''}${propertyName(name)}${shown}\n`
}

function words(values: readonly unknown[], types: Types): string {
  const isOpen = types.direction === 'answered' && values.some((value) => typeof value === 'string')
  const [nulls, others] = [values.filter((value) => value === null), values.filter((value) => value !== null)]
  return union([...others.map(literal), ...(isOpen ? [open] : []), ...nulls.map(literal)])
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

/** An open enumeration contains every text already; `string` beside it would hide its words. */
function union(parts: readonly string[]): string {
  const isOpen = parts.some((part) => part.endsWith(open))
  return [...new Set(isOpen ? parts.filter((part) => part !== 'string') : parts)].join(' | ')
}

/** In parentheses where an operator or brackets follow. */
function grouped(text: string): string {
  return /[|&]/.test(text.replaceAll(/\{[\s\S]*\}/g, '')) ? `(${text})` : text
}
