/** Every field and parameter of the OpenAPI document says what it is. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly description?: string
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Document
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

const words_min = 3

const advice =
  'Say what the field is, its unit, and what null means: wrap its schema in described(…) where the noun declares it ' +
  '(server/src/resources/<noun>/<noun>.ts). A request field inherits the description of the field of the same name in ' +
  'the object that the operation returns; otherwise describe it in the body of the operation. Then run npm run generate.'

function isDescribed({ description = '' }: { readonly description?: string }): boolean {
  return description.trim().split(/\s+/).length >= words_min
}

/** The paths of the properties without a description, at any depth; references are looked at where they are defined. */
function undescribedIn(schema: Schema, path: string): string[] {
  const { properties = {}, items, anyOf = [], allOf = [], additionalProperties } = schema
  const own = Object.entries(properties).flatMap(([name, property]) => [
    ...(isDescribed(property) ? [] : [`${path}.${name}`]),
    ...undescribedIn(property, `${path}.${name}`),
  ])
  const inner = typeof additionalProperties === 'object' ? [additionalProperties] : []
  const others = [...anyOf, ...allOf, ...inner].flatMap((each) => undescribedIn(each, path))
  return [...own, ...others, ...(items === undefined ? [] : undescribedIn(items, `${path}[]`))]
}

test('every field of every request body has a description', () => {
  const missing = operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => undescribedIn(schema, operationId)),
  )
  assert.deepEqual(missing, [], advice)
})

test('every property of every component has a description', () => {
  const missing = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribedIn(schema, name))
  assert.deepEqual(missing, [], advice)
})

test('every parameter has a description', () => {
  const missing = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .map((each) => document.components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each)
      .filter((each) => !isDescribed(each))
      .map(({ name }) => `${operationId}: ${name}`),
  )
  assert.deepEqual(missing, [], 'A query parameter takes its description where the operation declares it.')
})

test('the id below a noun is described alike in every path', () => {
  const descriptions = new Map<string, Set<string>>()
  for (const [path, methods] of Object.entries(document.paths)) {
    const [start = '', name] = /^\/v1\/\w+\/\{(\w+)\}/.exec(path) ?? []
    for (const { parameters = [] } of Object.values(methods)) {
      const { description } = parameters.find((each) => each.name === name) ?? {}
      if (description !== undefined) descriptions.set(start, (descriptions.get(start) ?? new Set()).add(description))
    }
  }
  assert.deepEqual([...(descriptions.get('/v1/boards/{id}') ?? [])], ['Id of the board.'])
  assert.deepEqual(
    [...descriptions].filter(([, different]) => different.size > 1),
    [],
  )
})
