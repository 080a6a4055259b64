/** The checked-in OpenAPI document as what every answer is held to: status, code, headers, body. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, type Schema, Schemas } from './schema.ts'

/** An answer, however it was received. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
  readonly explode?: boolean
  readonly example?: unknown
}

export interface DocumentedOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly errorClass: string
  readonly credits: number
  readonly scope: string | null
  readonly parameters: readonly Parameter[]
  /** Of the body; `null`: the operation takes none. */
  readonly body: Schema | null
  readonly isBodyRequired: boolean
  /** A body that the document shows. */
  readonly example: unknown
  /** The codes that it may answer with, by status. */
  readonly codes: ReadonlyMap<number, ReadonlySet<string>>
}

interface Response {
  readonly isJson: boolean
  readonly headers: readonly {
    readonly name: string
    readonly isRequired: boolean
    readonly check: Check
    readonly isNumber: boolean
  }[]
  readonly body: Check | null
  readonly dryRun: Check | null
}

const file = join(import.meta.dirname, '../docs/openapi.json')

export class Document {
  readonly schemas: Schemas
  readonly operations: readonly DocumentedOperation[]
  private readonly error: Check
  private readonly responses = new Map<string, Response>()

  constructor() {
    const root = JSON.parse(readFileSync(file, 'utf8')) as Schema
    this.schemas = new Schemas(root)
    this.error = this.schemas.check({ $ref: '#/components/schemas/Error' })
    const paths = root.paths as Readonly<Record<string, Readonly<Record<string, Schema>>>>
    this.operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, told]) => this.read(method.toUpperCase(), path, told)),
    )
  }

  private read(method: string, path: string, told: Schema): DocumentedOperation {
    const id = told.operationId as string
    const codes = new Map<number, Set<string>>()
    for (const [status, each] of Object.entries(told.responses as Readonly<Record<string, Schema>>)) {
      const response = this.schemas.resolve(each)
      codes.set(Number(status), new Set((response['x-error-codes'] as string[]) ?? []))
      this.responses.set(`${id} ${status}`, this.response(response))
    }
    const request = told.requestBody === undefined ? null : this.schemas.resolve(told.requestBody as Schema)
    const content = request?.content as
      | Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
      | undefined
    return {
      id,
      method,
      path,
      errorClass: told['x-error-class'] as string,
      credits: told['x-credits'] as number,
      scope: (told['x-scope'] as string | null) ?? null,
      parameters: (told.parameters as Schema[]).map((each) => this.schemas.resolve(each) as unknown as Parameter),
      body: content?.['application/json']?.schema ?? null,
      isBodyRequired: request?.required === true,
      example: content?.['application/json']?.example,
      codes,
    }
  }

  private response(told: Schema): Response {
    const content = (told.content ?? {}) as Readonly<Record<string, { readonly schema: Schema }>>
    const headers = Object.entries((told.headers ?? {}) as Readonly<Record<string, Schema>>).map(([name, each]) => {
      const header = this.schemas.resolve(each)
      const schema = header.schema as Schema
      return {
        name: name.toLowerCase(),
        isRequired: header.required === true,
        check: this.schemas.check(schema),
        isNumber: schema.type === 'integer',
      }
    })
    const of = (type: string): Check | null => {
      const schema = content[type]?.schema
      return schema === undefined ? null : this.schemas.check(schema)
    }
    const isJson = content['text/event-stream'] === undefined
    return { isJson, headers, body: of('application/json'), dryRun: of('application/json; profile=dry-run') }
  }

  /** What is wrong with the envelope of an error, of whatever was asked. */
  errorFaults(body: unknown): string[] {
    const faults: string[] = []
    this.error(body, 'the body', faults)
    return faults
  }

  /** What is not as documented of an operation's answer. `body`: the text, parsed, where it is JSON. */
  faults(id: string, answered: Answered, body: unknown): string[] {
    const { status, headers } = answered
    const response = this.responses.get(`${id} ${status}`)
    if (response === undefined) return [`the status ${status} is not documented`]
    const faults: string[] = []
    for (const { name, isRequired, check, isNumber } of response.headers) {
      const value = headers[name]
      if (value !== undefined) check(isNumber ? Number(value) : value, `header ${name}`, faults)
      else if (isRequired) faults.push(`header ${name} is missing`)
    }
    const isDryRun = response.dryRun !== null && headers['content-type']?.includes('profile=dry-run') === true
    const check = isDryRun ? response.dryRun : response.body
    if (check === null) {
      if (answered.text !== '' && response.isJson) faults.push('there is a body')
    } else check(body, 'the body', faults)
    return faults
  }
}
