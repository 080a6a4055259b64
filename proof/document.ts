/** Checks answers against the checked-in OpenAPI document: status, code, headers, body. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, type Schema, Schemas } from './schema.ts'

export interface ReceivedAnswer {
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
  /** Of the body; `null` if the operation takes none. */
  readonly body: Schema | null
  readonly isBodyRequired: boolean
  /** The documented example of a body. */
  readonly example: unknown
  /** The documented error codes by status. */
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
      Object.entries(methods).map(([method, declared]) => this.parseOperation(method.toUpperCase(), path, declared)),
    )
  }

  private parseOperation(method: string, path: string, declared: Schema): DocumentedOperation {
    const id = declared.operationId as string
    const codes = new Map<number, Set<string>>()
    for (const [status, each] of Object.entries(declared.responses as Readonly<Record<string, Schema>>)) {
      const response = this.schemas.resolve(each)
      codes.set(Number(status), new Set((response['x-error-codes'] as string[]) ?? []))
      this.responses.set(`${id} ${status}`, this.parseResponse(response))
    }
    const request = declared.requestBody === undefined ? null : this.schemas.resolve(declared.requestBody as Schema)
    const content = request?.content as
      | Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
      | undefined
    return {
      id,
      method,
      path,
      errorClass: declared['x-error-class'] as string,
      credits: declared['x-credits'] as number,
      scope: (declared['x-scope'] as string | null) ?? null,
      parameters: (declared.parameters as Schema[]).map((each) => this.schemas.resolve(each) as unknown as Parameter),
      body: content?.['application/json']?.schema ?? null,
      isBodyRequired: request?.required === true,
      example: content?.['application/json']?.example,
      codes,
    }
  }

  private parseResponse(declared: Schema): Response {
    const content = (declared.content ?? {}) as Readonly<Record<string, { readonly schema: Schema }>>
    const headers = Object.entries((declared.headers ?? {}) as Readonly<Record<string, Schema>>).map(([name, each]) => {
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

  /** What is wrong with an error's envelope. */
  errorFaults(body: unknown): string[] {
    const faults: string[] = []
    this.error(body, 'the body', faults)
    return faults
  }

  /** What differs from the documentation in an operation's answer. `body`: the parsed text, if it is JSON. */
  faults(id: string, { status, headers, text }: ReceivedAnswer, body: unknown): string[] {
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
      if (text !== '' && response.isJson) faults.push('there is a body')
    } else check(body, 'the body', faults)
    return faults
  }
}
