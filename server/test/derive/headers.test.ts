/** Responses have the headers that the OpenAPI document names, and no others except those of HTTP itself. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { Reply } from '../call.ts'
import { populate, sendCall, type Things } from '../things.ts'
import { openWorld, type World } from '../world.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is read as a client reads it
const document: any = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'))

/** Headers of HTTP itself, and those that the caching rules add to every response. */
const plain = new Set([
  ...['connection', 'keep-alive', 'date', 'content-type', 'content-length', 'transfer-encoding'],
  ...['cache-control', 'vary', 'allow'],
])

let world: World
let things: Things
before(async () => {
  world = await openWorld('sqlite', { environment: { ATRIUM_CREDITS_PER_MINUTE: '1000000' } })
  things = await populate(world)
})
after(() => world.close())

function assertAsDocumented(reply: Reply, path: string, method: string): void {
  const answer = document.paths[path][method.toLowerCase()].responses[reply.status]
  const { headers } = answer.$ref === undefined ? answer : document.components.responses[answer.$ref.split('/').at(-1)]
  const about = `${method} ${path} ${reply.status}`
  const documented = Object.keys(headers)
  const own = Object.keys(reply.headers).filter((name) => !plain.has(name))
  assert.deepEqual(
    own.filter((name) => !documented.some((each) => each.toLowerCase() === name)),
    [],
    `${about} has headers that the document does not name`,
  )
  for (const name of documented) {
    if (!document.components.headers[name].required) continue
    assert.ok(reply.headers[name.toLowerCase()] !== undefined, `${about} lacks ${name}`)
  }
}

for (const operation of catalogue) {
  it(`${operation.id} responds with the headers that the document names`, async () => {
    const { path, method } = operation
    const call = await things.call(operation)
    const idempotencyKey = `headers-${operation.id}`
    const reply = await sendCall(things, call, operation.kind === 'write' ? { idempotencyKey } : {})
    assert.equal(reply.status, 200, reply.text)
    assertAsDocumented(reply, path, method)
    if (operation.kind === 'write') {
      assertAsDocumented(await sendCall(things, call, { idempotencyKey }), path, method)
    } else if (!operation.streams) {
      const headers = { 'if-none-match': '*' }
      assertAsDocumented(await sendCall(things, call, { headers }), path, method)
    }
    assertAsDocumented(await sendCall(things, call, { key: null }), path, method)
  })
}

it('errors have the headers that the document names', async () => {
  const none = '/v1/tasks/tsk_01J4ZK3V8M0000000000000000'
  assertAsDocumented(await world.get(none), '/v1/tasks/{id}', 'GET')
  assertAsDocumented(await world.get('/v1/tasks?limit=0'), '/v1/tasks', 'GET')
  assertAsDocumented(await world.post('/v1/tasks', {}), '/v1/tasks', 'POST')
  const { secret } = await world.key({ scopes: ['api:read'] })
  assertAsDocumented(await world.post('/v1/tasks', {}, { key: secret }), '/v1/tasks', 'POST')
  const task = await things.fresh('task')
  await world.delete(`/v1/tasks/${task}`)
  assertAsDocumented(await world.get(`/v1/tasks/${task}`), '/v1/tasks/{id}', 'GET')
  const stale = await world.patch(`/v1/tasks/${things.id('task')}`, { title: 'x' }, { headers: { 'if-match': '9' } })
  assert.equal(stale.status, 409)
  assertAsDocumented(stale, '/v1/tasks/{id}', 'PATCH')
})
