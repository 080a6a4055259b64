/** Incidents of other products: one test per incident, named after the guarantee that was broken. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { populate, sendCall } from '../things.ts'
import { openFirst, worldOf } from '../world.ts'
import { assertRefused } from './answers.ts'

onEveryEngine('incidents of other products', (engine) => {
  const world = worldOf(engine, { environment: { ATRIUM_CREDITS_PER_MINUTE: '1000000' } })
  const things = openFirst(() => populate(world))
  const theirs = openFirst(() => populate(world, world.globex))

  // Plane, CVE-2026-46558: the source's id was trusted, so a copy held another workspace's data.
  it('a duplicate contains nothing that the caller cannot read', async () => {
    await world.markWritten()
    const foreign = await world.post(`/v1/projects/${theirs.id('project')}/duplicate`, {})
    assertRefused(foreign, 'resource_not_found')
    const never = await world.post('/v1/projects/prj_01J00000000000000000000000/duplicate', {})
    const errorOf = ({ body }: Reply) => ({ ...body.error, request_id: null })
    assert.deepEqual([foreign.status, errorOf(foreign)], [never.status, errorOf(never)])
    await world.assertWritten({ events: [], audit: [] })
  })

  // OpenProject, CVE-2026-40896: the inner id of a nested path was not bound to the outer one.
  it('an inner id is found only below its own outer id', async () => {
    const other = await things.fresh('other_task')
    const { id: comment } = await world.make(`/v1/tasks/${things.id('task')}/comments`, {
      workspace: things.id('workspace'),
      body: 'Here',
    })
    const { id: board } = await world.make('/v1/boards', { name: 'Another' })
    const elsewhere = [
      `/v1/tasks/${other}/comments/${comment}`,
      `/v1/boards/${board}/items/${things.id('board_item')}`,
      `/v1/boards/${board}/members/${things.id('board_member')}`,
      `/v1/tasks/${other}/dependencies/${things.id('dependency')}`,
    ]
    await world.markWritten()
    for (const [method, path] of [
      ['GET', elsewhere[0]],
      ['PATCH', elsewhere[0]],
      ['DELETE', elsewhere[0]],
      ['GET', elsewhere[1]],
      ['DELETE', elsewhere[2]],
      ['DELETE', elsewhere[3]],
    ] as const) {
      const body = method === 'PATCH' ? { body: 'There' } : undefined
      assertRefused(await world.call(method, path as string, { body }), 'resource_not_found', null, `${method} ${path}`)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  // Vikunja, CVE-2026-40103: a token's scopes were matched on the path and not on the method.
  // GHSA-564f-wx8x-878h: deleting required only read access.
  it('a read scope permits no write on the same path', async () => {
    for (const operation of catalogue.filter(({ scope }) => scope?.endsWith(':write'))) {
      const call = await things.call(operation)
      const read = operation.scope?.replace(':write', ':read') as 'tasks:read'
      const { id, secret } = await world.key({ scopes: [read] })
      assertRefused(await sendCall(things, call, { key: secret }), 'insufficient_scope', null, operation.id)
      assert.equal((await world.delete(`/v1/api_keys/${id}`)).status, 200)
    }
  })

  // CVE-2026-35594: a token was trusted until its expiry although it had been revoked.
  it('a revoked key is refused on the next request', async () => {
    const { id, secret } = await world.key()
    assert.equal((await world.get('/v1/me', { key: secret })).status, 200)
    assert.equal((await world.delete(`/v1/api_keys/${id}`)).status, 200)
    assertRefused(await world.get('/v1/me', { key: secret }), 'invalid_api_key')
  })

  // CVE-2026-29794: the limiter counted by a header that clients control.
  it('no client header gives additional credits', async () => {
    const remaining: number[] = []
    for (let i = 0; i < 5; i++) {
      const address = `198.51.100.${i}`
      const headers = { 'x-forwarded-for': address, 'x-real-ip': address, forwarded: `for=${address}` }
      const reply = await world.get('/v1/workspaces', { headers })
      remaining.push(Number(reply.headers['x-ratelimit-remaining']))
    }
    for (const [i, left] of remaining.entries()) {
      if (i > 0) assert.equal((remaining[i - 1] as number) - left, 5)
    }
  })

  // Directus, CVE-2026-35409: mapped addresses passed; elsewhere NAT64, 6to4 and Teredo did.
  it('no notation of a private address is accepted for webhooks', async () => {
    for (const host of [
      '[::ffff:10.0.0.1]',
      '[::ffff:a00:1]',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::10.0.0.1]',
      '[64:ff9b:1::10.0.0.1]',
      '[2002:a00:1::1]',
      '[2001:0:a00:1::1]',
      '0x0a000001',
      '012.0.0.1',
    ]) {
      const body = { url: `https://${host}/hook`, event_types: ['*'] }
      assertRefused(await world.post('/v1/webhook_endpoints', body), 'invalid_webhook_url', 'url', host)
    }
  })

  // n8n, CVE-2026-21858, and Fastify, CVE-2026-33806, -25223, -3419: the type of a body decided whether it was checked.
  it('no Content-Type bypasses the checks of a body', async () => {
    await world.markWritten()
    for (const type of [
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'text/plain',
      ' application/json',
      'application/json\t',
      'application/json; charset=utf-7',
      'application/json,text/plain',
      'application/JSONP',
      'application/vnd.api+json',
    ]) {
      const raw = '{"title":"Mine","organization":"org_01J00000000000000000000000"}'
      const reply = await world.post('/v1/workspaces', undefined, { raw, headers: { 'content-type': type } })
      assertRefused(reply, 'invalid_request_body', undefined, type)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  // n8n, CVE-2026-1470: an expression reached the constructor of functions, and with it the process.
  it('an expression reaches only its data', async () => {
    const { workspace } = things.ids
    for (const expr of [
      "constructor.constructor('return process')()",
      "task.constructor.constructor('return 1')() == 1",
      "task['constructor']['constructor']('return process.env')() != null",
      "''.constructor.fromCharCode(97) == 'a'",
      '__proto__ != null',
      'task.__proto__.polluted == 1',
      'process.env.HOME != null',
      'globalThis != null',
      "with (task) { title == 'x' }",
    ]) {
      const nodes = [
        { id: 'changed', type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } },
        { id: 'asks', type: 'condition', config: { expr } },
      ]
      const graph = { schema_version: 1, nodes, edges: [{ source: 'changed', target: 'asks' }] }
      const reply = await world.post('/v1/automation_flows', { workspace, name: 'Escape', graph })
      assertRefused(reply, 'invalid_request_body', undefined, expr)
      assert.match(reply.body.error.param, /^graph/)
    }
  })

  // Eventuous, issue 222: serial ids become visible out of order, so a reader that had passed one never saw it.
  it('a reader of the log sees every event once and in order under concurrent writes', async () => {
    const workspace = things.id('workspace')
    const start = (await world.get('/v1/events?limit=1')).body.data[0].sequence as number
    const writes = Array.from({ length: 60 }, (_, i) => world.post('/v1/tasks', { workspace, title: `Race ${i}` }))
    let open = true
    const all = Promise.all(writes).finally(() => {
      open = false
    })
    const seen: number[] = []
    for (let last = start, more = true; more; ) {
      more = open
      const { body } = await world.get('/v1/events?limit=100')
      const sequences = body.data.map(({ sequence }: { sequence: number }) => sequence)
      const fresh = sequences.filter((sequence: number) => sequence > last).reverse()
      seen.push(...fresh)
      last = fresh.at(-1) ?? last
    }
    for (const { status } of await all) assert.equal(status, 200)
    assert.deepEqual(
      seen,
      Array.from({ length: 60 }, (_, i) => start + 1 + i),
    )
  })
})
