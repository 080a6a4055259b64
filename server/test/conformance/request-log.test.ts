/**
 * The request log: an entry for every answered request, at once and for seven days, without contents (contract/09).
 * `atrium conform` tries the entry of each operation (server/test/conform).
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import type { CallOptions, Reply } from '../call.ts'
import { onEveryWorld, started_at } from '../world.ts'
import { assertRefused, comparable } from './answers.ts'
import { storedText } from './stored.ts'

const day = 86_400_000

onEveryWorld('the request log', (world) => {
  const idOf = (reply: Reply) => String(reply.headers['x-request-id'])
  const logOf = (reply: Reply, options: CallOptions = {}) => world.get(`/v1/request_logs/${idOf(reply)}`, options)

  /** Fields that every entry of these tests shares. */
  const common = () => ({
    object: 'request_log',
    created: Math.floor(world.clock.now() / 1000),
    error_code: null,
    error_param: null,
    query_parameters: [],
    credential: world.acme.keyId,
    owner: { type: 'organization', id: world.acme.id },
    mode: 'live',
    api_version: '2026-08-03',
    duration_ms: 0,
    dry_run: false,
    idempotency_replayed: false,
    original_request: null,
    ip: '127.0.0.0/24',
    user_agent: null,
    request_bytes: 0,
    events: [],
    expires_at: Math.floor((world.clock.now() + 7 * day) / 1000),
  })

  it('has entries for refusals, replays and 304s', async () => {
    const scopeless = await world.key({ scopes: ['api:read'] })
    const key = { idempotencyKey: 'logged' }
    const first = await world.post('/v1/workspaces', { title: 'Logged' }, key)
    const etag = String((await world.get('/v1/workspaces')).headers.etag)
    const workspaces = { route: '/v1/workspaces', path: '/v1/workspaces' }
    const list = { ...workspaces, method: 'GET', operation: 'workspaces.list', cost: 5 }
    const create = { ...workspaces, method: 'POST', operation: 'workspaces.create', cost: 10 }
    const sent: [Reply, object][] = [
      [await world.get('/v1/workspaces', { headers: { 'if-none-match': etag } }), { ...list, status: 304, charged: 0 }],
      [
        await world.get('/v1/workspaces?limit=0&b=secret%20value&limit=0&fields=id'),
        {
          ...list,
          status: 400,
          charged: 1,
          error_code: 'invalid_query_parameter',
          error_param: 'b',
          query_parameters: ['limit', 'b', 'fields'],
        },
      ],
      [
        await world.post('/v1/workspaces', { title: 'Logged' }, key),
        {
          ...create,
          status: 200,
          charged: 0,
          idempotency_replayed: true,
          original_request: idOf(first),
          request_bytes: 18,
        },
      ],
      [
        await world.post('/v1/workspaces', { title: 5 }),
        {
          ...create,
          status: 400,
          charged: 1,
          error_code: 'invalid_request_body',
          error_param: 'title',
          request_bytes: 11,
        },
      ],
      [
        await world.get('/v1/workspaces', { key: scopeless.secret }),
        { ...list, status: 403, charged: 0, error_code: 'insufficient_scope', credential: scopeless.id },
      ],
      [
        await world.get('/v1/workspaces/wsp_never'),
        {
          method: 'GET',
          route: '/v1/workspaces/{id}',
          path: '/v1/workspaces/wsp_never',
          operation: 'workspaces.retrieve',
          cost: 1,
          status: 404,
          charged: 1,
          error_code: 'resource_not_found',
        },
      ],
    ]
    for (const [reply, expected] of sent) {
      const log = await logOf(reply)
      const response_bytes = Buffer.byteLength(reply.text)
      const { error_param = log.body.error_param } = expected as { error_param?: string }
      assert.deepEqual(log.body, { ...common(), id: idOf(reply), response_bytes, ...expected, error_param })
    }
  })

  it('is the same from memory and from the database', async () => {
    const reply = await world.post('/v1/workspaces', { title: 'Kept' })
    const first = await logOf(reply)
    await world.services.requestLog.flush()
    const second = await logOf(reply)
    assert.deepEqual([second.text, second.headers.etag], [first.text, first.headers.etag])
  })

  it('stores no bodies, parameter values or credentials', async () => {
    const words = ['Xylophone', 'Quetzalcoatl', 'Marzipan', 'Bratwurst']
    const [title, value, key, agent] = words as [string, string, string, string]
    await world.post(`/v1/workspaces?x=${value}`, { title }, { idempotencyKey: key })
    const reply = await world.get(`/v1/workspaces?fields=${value}`, { headers: { 'user-agent': agent, cookie: title } })
    const { text, body } = await logOf(reply)
    assert.equal(body.user_agent, agent)
    for (const word of [title, value, key]) assert.ok(!text.includes(word), word)
    await world.services.requestLog.flush()
    const stored = await storedText(world)
    assert.ok(stored.includes(agent))
    for (const word of [title, value, key]) assert.ok(!stored.includes(word), word)
  })

  it('truncates long values', async () => {
    const headers = { 'user-agent': 'a'.repeat(300) }
    const long = await world.get(`/v1/workspaces/${'b'.repeat(2000)}?${'c'.repeat(500)}=1`, { headers })
    const { body } = await logOf(long)
    assert.equal(body.user_agent, 'a'.repeat(200))
    assert.equal(body.path.length, 1000)
    assert.ok(body.query_parameters[0].length <= 160)
  })

  it('of another organization or realm answers like an unknown id', async () => {
    const reply = await world.get('/v1/me')
    const expected = comparable(await world.get(`/v1/request_logs/${newId('req', 1)}`))
    const strangers = [world.globex.key, world.globex.testKey, world.acme.testKey]
    for (const key of strangers) {
      const theirs = await logOf(reply, { key })
      assertRefused(theirs, 'resource_not_found', null)
      assert.deepEqual(comparable(theirs), expected)
    }
    const colleague = await logOf(reply, { key: (await world.key()).secret })
    assert.equal(colleague.status, 200)
    const stranger = await world.get('/v1/me', { key: 'atr_live_x' })
    assertRefused(await logOf(stranger), 'resource_not_found')
  })

  it('is readable for exactly seven days, then 410, and 404 to other organizations', async () => {
    const reply = await world.get('/v1/me')
    await world.services.requestLog.flush()
    world.clock.set(started_at + 7 * day - 1)
    assert.equal((await logOf(reply)).status, 200)
    world.clock.set(started_at + 7 * day)
    assertRefused(await logOf(reply), 'resource_deleted', null)
    assertRefused(await logOf(reply, { key: world.globex.key }), 'resource_not_found', null)
    world.clock.set(started_at)
  })
})
