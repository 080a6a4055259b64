/** The OpenAPI document: the server serves the checked-in file, and it describes every operation as the catalogue declares it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { errorKinds } from '../../src/api/declare/errors.ts'
import { catalogue } from '../../src/catalogue.ts'
import { allEventTypes } from '../../src/derive/event-types.ts'
import type { RecordedExamples } from '../../src/derive/examples.ts'
import { openApiDocument } from '../../src/derive/openapi/document.ts'
import { readPromises } from '../../src/derive/promises.ts'
import { worldOf } from '../world.ts'
import { examples_file } from './record.ts'

const text = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')
const examples = JSON.parse(readFileSync(examples_file, 'utf8')) as RecordedExamples

// biome-ignore lint/suspicious/noExplicitAny: a document is read as a client reads it
type Document = any

describe('the served document', () => {
  const world = worldOf('sqlite')

  it('is the checked-in file byte for byte, and needs no credential', async () => {
    const reply = await world.get('/v1/openapi.json', { key: null })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(reply.text, text)
  })

  it('answers 304 to a client that has it', async () => {
    const { headers } = await world.get('/v1/openapi.json', { key: null })
    const etag = String(headers.etag)
    const again = await world.get('/v1/openapi.json', { key: null, headers: { 'if-none-match': `"x", W/${etag}` } })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    const other = await world.get('/v1/openapi.json', { key: null, headers: { 'if-none-match': '"x"' } })
    assert.deepEqual([other.status, other.text], [200, text])
  })

  it('is not an operation: other methods are answered as on an unknown path', async () => {
    const reply = await world.post('/v1/openapi.json', {})
    assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
  })
})

describe('the document', () => {
  let document: Document
  const operations = new Map<string, Document>()
  before(async () => {
    const sources = { catalogue, eventTypes: await allEventTypes(), examples, promises: readPromises() }
    document = JSON.parse(JSON.stringify(openApiDocument(sources)))
    for (const [path, methods] of Object.entries<Document>(document.paths)) {
      for (const [method, operation] of Object.entries<Document>(methods)) {
        operations.set(operation.operationId, { ...operation, method: method.toUpperCase(), path })
      }
    }
  })

  /** Follows references. */
  const resolve = (value: Document): Document => {
    if (value?.$ref === undefined) return value
    const path = value.$ref.slice(2).split('/')
    return resolve(path.reduce((inner: Document, name: string) => inner[name], document))
  }

  const headerNames = (operation: Document): string[] =>
    operation.parameters
      .map(resolve)
      .filter((parameter: Document) => parameter.in === 'header')
      .map((parameter: Document) => parameter.name)

  it('has every operation of the catalogue and no other', () => {
    assert.deepEqual([...operations.keys()].sort(), catalogue.map(({ id }) => id).sort())
    for (const { id, method, path, scope, credits, emits } of catalogue) {
      const documented = operations.get(id)
      assert.deepEqual(
        [documented.method, documented.path, documented['x-scope'], documented['x-credits'], documented['x-events']],
        [method, path, scope, credits, emits.map(({ type }) => type)],
        id,
      )
    }
  })

  it('describes each operation in the words above its declaration', () => {
    const promises = readPromises()
    const silent = catalogue.filter(({ id }) => !promises.has(id)).map(({ id }) => id)
    assert.deepEqual(silent, [], 'Write a sentence above the declaration.')
    for (const { id } of catalogue) assert.ok(operations.get(id).description.startsWith(promises.get(id)), id)
  })

  it('names exactly the codes of each operation, under their statuses', () => {
    for (const { id, codes } of catalogue) {
      const found: string[] = []
      for (const [status, answer] of Object.entries<Document>(operations.get(id).responses)) {
        if (Number(status) < 400) continue
        const { 'x-error-codes': documented, content } = resolve(answer)
        const shown = content['application/json'].examples
        for (const code of documented) {
          assert.equal(String(errorKinds[code as keyof typeof errorKinds].status), status, `${id} ${code}`)
          assert.equal(shown[code].value.error.code, code)
        }
        found.push(...documented)
      }
      assert.deepEqual(found.sort(), [...codes].sort(), id)
    }
  })

  it('lists known values in answers and allows any other text; in requests a value must be a known one', () => {
    /** Whether each enumeration of texts below a value is open. */
    const enumerations = (value: unknown, isOpen = false): boolean[] => {
      if (typeof value !== 'object' || value === null) return []
      const { enum: words, anyOf, example: _, examples: _all, ...rest } = value as Document
      const own = Array.isArray(words) && words.some((word) => typeof word === 'string') ? [isOpen] : []
      const hasText = Array.isArray(anyOf) && anyOf.some((each) => each.type === 'string' && each.enum === undefined)
      const inner = Array.isArray(anyOf) ? anyOf.flatMap((each) => enumerations(each, hasText)) : []
      return [...own, ...inner, ...Object.values(rest).flatMap((each) => enumerations(each))]
    }
    for (const { id } of catalogue) {
      const { responses, requestBody, parameters } = operations.get(id)
      assert.ok(!enumerations(responses).includes(false), id)
      assert.ok(!enumerations([requestBody, parameters]).includes(true), id)
    }
    const { Task, Error: envelope } = document.components.schemas
    assert.deepEqual(enumerations([Task, envelope]), [true, true, true, true])
    const { status } = operations.get('tasks.create').requestBody.content['application/json'].schema.properties
    assert.deepEqual(status.enum, Task.properties.status.anyOf[0].enum)
  })

  it('requires an Idempotency-Key on every write and no read', () => {
    for (const { id, kind } of catalogue) {
      const headers = headerNames(operations.get(id))
      assert.equal(headers.includes('Idempotency-Key'), kind === 'write', id)
      assert.ok(headers.includes('Service-Version'), id)
    }
  })

  it('offers If-Match on objects with a revision, If-None-Match on reads, Last-Event-ID on the stream', () => {
    for (const { id, method, target, streams } of catalogue) {
      const headers = headerNames(operations.get(id))
      const guarded = ['PATCH', 'DELETE'].includes(method) && target?.schema.properties.revision !== undefined
      assert.equal(headers.includes('If-Match'), guarded, id)
      assert.equal(headers.includes('If-None-Match'), method === 'GET' && !streams, id)
      assert.equal(headers.includes('Last-Event-ID'), streams, id)
    }
  })

  it('names the parameters of the query and of the path', () => {
    for (const { id, path, query } of catalogue) {
      const parameters = operations.get(id).parameters.map(resolve)
      const named = (place: string) =>
        parameters.flatMap((each: Document) => (each.in === place ? [each.name.replace('[]', '')] : []))
      assert.deepEqual(named('query').sort(), Object.keys(query).sort(), id)
      assert.deepEqual(
        named('path'),
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]),
        id,
      )
    }
  })

  it('has a schema for the object of every noun, under its name', () => {
    for (const { target, lists } of catalogue) {
      for (const noun of [target, lists]) {
        if (noun === null) continue
        const name = noun.object.replaceAll(/(?:^|_)(\w)/g, (_all, letter) => letter.toUpperCase())
        const schema = document.components.schemas[name]
        assert.equal(schema?.properties.object.const, noun.object)
        assert.deepEqual(Object.keys(schema.properties), Object.keys(noun.schema.properties))
      }
    }
  })

  it('has a webhook for every event type, with its object or what is shown of a hidden one', async () => {
    for (const { type, noun } of await allEventTypes()) {
      const [, own] = document.webhooks[type].post.requestBody.content['application/json'].schema.allOf
      assert.equal(own.properties.type.const, type)
      const [whole, hidden] = own.properties.data.properties.object.anyOf
      assert.equal(resolve(whole).properties.object.const, noun.object)
      assert.deepEqual(Object.keys(resolve(hidden).properties), ['id', 'object'])
    }
  })
})
