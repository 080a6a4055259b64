/** Documentation comments of the SDK. */
import type { Schema } from './document.ts'

const width = 116

/** An indented comment; empty without text. */
export function docComment(text: string | undefined, indent = ''): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => wrapped(line, width - indent.length))
  if (lines.length === 1 && (lines[0] as string).length + indent.length < width - 4)
    return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function wrapped(line: string, max: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + word.length + 1 > max) {
      lines.push(current)
      current = ''
    }
    current += current === '' ? word : ` ${word}`
  }
  return [...lines, current]
}

const id_pattern = '^[A-Za-z0-9][A-Za-z0-9:_-]*$'
const time_max = 8_640_000_000_000

/** The description of a field in a request, with the bounds of its schema. */
export function boundedText(schema: Schema, description = schema.description): string {
  const bounds = boundsOf(schema)
  if (description === undefined) return schema.pattern === id_pattern ? 'An id.' : bounds
  const said = /[.!?]$/.test(description) ? description : `${description}.`
  return bounds === '' || said.includes(bounds.slice(0, -1)) ? said : `${said} ${bounds}`
}

function boundsOf(schema: Schema): string {
  if (schema.pattern === id_pattern) return ''
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = schema
  if (maxLength !== undefined) return `${range(minLength, maxLength)} characters.`
  if (maxItems !== undefined) return `${range(minItems, maxItems)} items.`
  if (maximum !== undefined && maximum < time_max) return `${range(minimum, maximum)}.`
  return minimum === undefined || minimum === 0 || maximum !== undefined ? '' : `At least ${minimum}.`
}

function range(min: number | undefined, max: number): string {
  return min === undefined || min === 0 ? `At most ${max}` : `${min} to ${max}`
}
