import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allEventTypes } from '../../src/derive/event-types.ts'

const docs = new URL('../../../docs/', import.meta.url)
const document = JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8'))
const rows = readFileSync(new URL('events.md', docs), 'utf8').matchAll(/^\| `([a-z_.]+)` \| .* \| `(\w+)` \| .* \|$/gm)
const objects = new Map([...rows].map(([, type, object]) => [type, object]))

test('the page of events lists every type with the schema that its webhook has in the OpenAPI document', async () => {
  const types = await allEventTypes()
  assert.deepEqual(
    [...objects],
    types.map(({ type }) => {
      const [, own] = document.webhooks[type].post.requestBody.content['application/json'].schema.allOf
      const [whole] = own.properties.data.properties.object.anyOf
      return [type, whole.$ref.replace('#/components/schemas/', '')]
    }),
  )
})
