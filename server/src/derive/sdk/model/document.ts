/** The parts of the OpenAPI document that the SDK is generated from. */
import type { JsonObject } from '../../openapi/json.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly title?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly pattern?: string
}

export interface DocumentParameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly explode?: boolean
  readonly schema?: Schema
}

interface Content {
  readonly schema: Schema
}

export interface DocumentOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly DocumentParameter[]
  readonly requestBody?: {
    readonly required: boolean
    readonly description?: string
    readonly content: Readonly<Record<string, Content>>
  }
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>
  readonly 'x-paging'?: string
}

export interface Document {
  readonly info: { readonly version: string }
  readonly servers: readonly { readonly variables: { readonly base_url: { readonly default: string } } }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly webhooks: Readonly<
    Record<string, { readonly post: { readonly requestBody: { content: Record<string, Content> } } }>
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export function asDocument(document: JsonObject): Document {
  return JSON.parse(JSON.stringify(document)) as Document
}

const components = '#/components/schemas/'

/** The name in a reference; `null` for a schema that is not one. */
export function referred({ $ref }: Schema): string | null {
  return $ref?.startsWith(components) ? $ref.slice(components.length) : null
}

/** The words of an enumeration, open or closed. */
export function knownWords(schema: Schema | undefined): readonly string[] {
  const words = schema?.enum ?? schema?.anyOf?.find((each) => each.enum !== undefined)?.enum ?? []
  return words.filter((word): word is string => typeof word === 'string')
}
