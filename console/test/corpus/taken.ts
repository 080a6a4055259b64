/** The fields of operations, and of the console's endpoints, that take text as people write it. */
import { catalogue } from '../../../server/src/catalogue.ts'
import { endpoints } from '../../../server/src/console/endpoints.ts'

interface Schema {
  readonly type?: string
  readonly pattern?: string
  readonly format?: string
  readonly maxLength?: number
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
}

/** What a field of free text must accept. */
const sample = '<img src=x onerror=window.__xss=1> <b>name</b>'

/** `noun.field`, each once: `tasks.title` is taken by six operations. */
export function takenTexts(): string[] {
  const ofOperations = catalogue.flatMap(({ id, body }) =>
    textsOf((body ?? {}) as unknown as Schema, id.replace(/\.[^.]*$/, '')),
  )
  const ofEndpoints = endpoints.flatMap(({ path, body }) =>
    textsOf((body ?? {}) as Schema, path.filter((part) => !part.startsWith('{')).join('/')),
  )
  return [...new Set([...ofOperations, ...ofEndpoints])].sort()
}

function textsOf(schema: Schema, name: string): string[] {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => textsOf(one, name))
  if (schema.type === 'array') return textsOf(schema.items ?? {}, name)
  if (schema.type === 'object') {
    const values = Object.values(schema.patternProperties ?? {}).flatMap((one) => textsOf(one, name))
    return [
      ...values,
      ...Object.entries(schema.properties ?? {}).flatMap(([key, one]) => textsOf(one, joined(name, key))),
    ]
  }
  if (schema.type !== undefined) return schema.type === 'string' && isFree(schema) ? [name] : []
  // A schema without a type takes anything: its content is checked elsewhere.
  return schema.enum === undefined && schema.const === undefined && name.includes('.') ? [name] : []
}

/** Many objects at once have the fields of one. */
function joined(name: string, key: string): string {
  const [noun = ''] = name.split('.')
  if (key === 'data' || key === 'set') return noun
  return `${name}.${key.replace(/^(?:add|remove)_/, '')}`
}

function isFree({ pattern, format, maxLength = Number.POSITIVE_INFINITY, enum: words, const: word }: Schema): boolean {
  if (words !== undefined || word !== undefined || format !== undefined || maxLength < sample.length) return false
  return pattern === undefined || new RegExp(pattern, 'u').test(sample)
}
