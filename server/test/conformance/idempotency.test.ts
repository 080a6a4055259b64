/**
 * Idempotency: a write happens once and its answer can be replayed (contract/03). `atrium conform` tries replays and missing
 * keys of each operation (server/test/conform).
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { catalogue } from '../../src/catalogue.ts'
import type { CallOptions, Reply } from '../call.ts'
import { populate, sendCall } from '../things.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { assertRefused } from './answers.ts'
import { assertReplayed, fresh, setScopes } from './idempotency.ts'
import { change, setPlan, storedText } from './stored.ts'

onEveryWorld('an idempotency key', (world) => {
  const things = openFirst(() => populate(world))

  const create = (options: CallOptions, title = 'Once') => world.post('/v1/workspaces', { title }, options)

  it('is refused with another body, path, query, method or If-Match', async () => {
    const key = fresh()
    const task = await things.fresh('task')
    const other = await things.fresh('task')
    const headers = { 'if-match': '"1"' }
    const first = await world.patch(`/v1/tasks/${task}`, { title: 'Mine' }, { ...key, headers })
    assert.equal(first.status, 200, first.text)
    await world.markWritten()
    const different = [
      () => world.patch(`/v1/tasks/${task}`, { title: 'mine' }, { ...key, headers }),
      () => world.patch(`/v1/tasks/${task}`, { title: 'Mine', description: null }, { ...key, headers }),
      () => world.patch(`/v1/tasks/${other}`, { title: 'Mine' }, { ...key, headers }),
      () => world.patch(`/v1/tasks/${task}`, { title: 'Mine' }, key),
      () => world.patch(`/v1/tasks/${task}`, { title: 'Mine' }, { ...key, headers: { 'if-match': '"2"' } }),
      () => world.delete(`/v1/tasks/${task}`, { ...key, headers }),
      () => world.post('/v1/workspaces', { title: 'Mine' }, key),
    ]
    for (const send of different) assertRefused(await send(), 'idempotency_key_reused', 'Idempotency-Key')
    const removal = fresh()
    const path = `/v1/tasks/${other}`
    const removed = await world.delete(`${path}?workspace=${things.id('workspace')}`, removal)
    assert.equal(removed.status, 200)
    assertRefused(await world.delete(path, removal), 'idempotency_key_reused')
    assertReplayed(
      await world.delete(`${path}?workspace=${things.id('workspace').replace('_', '%5F')}`, removal),
      removed,
    )
    const same = { ...fresh(), body: { workspace: things.id('workspace') } }
    assert.equal((await world.call('PATCH', `/v1/tasks/${task}`, same)).status, 200)
    assertRefused(await world.call('DELETE', `/v1/tasks/${task}`, same), 'idempotency_key_reused')
    assertReplayed(await world.patch(`/v1/tasks/${task}`, { title: 'Mine' }, { ...key, headers }), first)
    await world.assertWritten({ events: ['workflow.task.deleted'], audit: ['tasks.delete'] })
  })

  it('treats bodies of the same canonical JSON as the same', async () => {
    const key = fresh()
    const body = (raw: string) => world.call('POST', '/v1/tasks', { ...key, raw })
    const workspace = things.id('workspace')
    const first = await body(`{"workspace":"${workspace}","title":"\u00e9","custom_fields":{"a":1,"b":[]}}`)
    assert.equal(first.status, 200, first.text)
    const same = [
      `{"title":"\u00e9","custom_fields":{"b":[],"a":1},"workspace":"${workspace}"}`,
      ` {\n"workspace" : "${workspace}",\r\n\t"title":"\\u00e9","custom_fields":{"a":1.0,"b":[ ]} } `,
      `{"workspace":"${workspace}","title":"\\u00E9","custom_fields":{"a":1e0,"b":[]}}`,
      `{"workspace":"${workspace}","title":"\u00e9","custom_fields":{"a":10e-1,"b":[]}}`,
    ]
    for (const raw of same) assertReplayed(await body(raw), first, raw)
    const other = [
      `{"workspace":"${workspace}","title":"e\u0301","custom_fields":{"a":1,"b":[]}}`,
      `{"workspace":"${workspace}","title":"\u00e9","custom_fields":{"a":"1","b":[]}}`,
      `{"workspace":"${workspace}","title":"\u00e9","custom_fields":{"a":1,"b":[""]}}`,
    ]
    for (const raw of other) assertRefused(await body(raw), 'idempotency_key_reused', undefined, raw)
  })

  it('stores 404, 409 and 410 of the operation, even if it would succeed now', async () => {
    const workspace = (await things.make('/v1/workspaces', { title: 'Fresh Start' })).id
    const { key: firstKey } = await things.make('/v1/tasks', { workspace, title: 'One' })
    const next = firstKey.replace('-1', '-2')
    const missing = fresh()
    const notFound = await world.patch(`/v1/tasks/${next}`, { title: 'Two' }, missing)
    assertRefused(notFound, 'resource_not_found')
    assert.equal((await things.make('/v1/tasks', { workspace, title: 'Two' })).key, next)
    const stillMissing = await world.patch(`/v1/tasks/${next}`, { title: 'Two' }, missing)
    assertRefused(stillMissing, 'resource_not_found')
    assertReplayed(stillMissing, notFound)

    const early = { ...fresh(), headers: { 'if-match': '2' } }
    const conflict = await world.patch(`/v1/tasks/${next}`, { title: 'Three' }, early)
    assertRefused(conflict, 'resource_conflict', 'If-Match')
    assert.match(conflict.body.error.message, /\b1\b/)
    assert.equal((await world.patch(`/v1/tasks/${next}`, { title: 'Four' })).body.revision, 2)
    assertReplayed(await world.patch(`/v1/tasks/${next}`, { title: 'Three' }, early), conflict)

    const late = fresh()
    const task = await things.fresh('task')
    await world.delete(`/v1/tasks/${task}`)
    const gone = await world.post(`/v1/tasks/${task}/complete`, {}, late)
    assertRefused(gone, 'resource_deleted')
    assertReplayed(await world.post(`/v1/tasks/${task}/complete`, {}, late), gone)
  })

  it('replays the first answer after the object has changed', async () => {
    const key = fresh()
    const task = await things.fresh('task')
    const first = await world.patch(`/v1/tasks/${task}`, { title: 'First' }, key)
    await world.patch(`/v1/tasks/${task}`, { title: 'Second' })
    assertReplayed(await world.patch(`/v1/tasks/${task}`, { title: 'First' }, key), first)
    assert.equal((await world.get(`/v1/tasks/${task}`)).body.title, 'Second')
    await world.delete(`/v1/tasks/${task}`)
    assertReplayed(await world.patch(`/v1/tasks/${task}`, { title: 'First' }, key), first)
  })

  it('stores no 400, 401, 402, 403, 500 or 503', async () => {
    const { id, secret } = await world.key()
    const realm = world.acme.realms.live
    const options = () => ({ idempotencyKey: randomUUID(), key: secret })
    const assertForgotten = async (code: string, spoil: (key: CallOptions) => Promise<Reply>) => {
      const key = options()
      assertRefused(await spoil(key), code)
      const reply = await create(key)
      assert.deepEqual([reply.status, reply.headers['idempotent-replayed']], [200, undefined], code)
    }
    await assertForgotten('invalid_request_body', (key) => world.post('/v1/workspaces', {}, key))
    await assertForgotten('invalid_request_body', (key) => world.call('POST', '/v1/workspaces', { ...key, raw: '{' }))
    await assertForgotten('invalid_query_parameter', (key) => world.post('/v1/workspaces?a=1', { title: 'Once' }, key))
    await assertForgotten('invalid_query_parameter', (key) =>
      create({ ...key, headers: { 'service-version': '1999' } }),
    )
    await assertForgotten('missing_api_key', (key) => create({ ...key, key: null }))
    await assertForgotten('invalid_request_body', (key) => {
      const body = { workspace: things.id('workspace'), title: 'x', assignee: 'usr_unknown' }
      return world.post('/v1/tasks', body, key)
    })
    await assertForgotten('plan_required', async (key) => {
      await change(world, setPlan, { organization: world.acme.id, plan: null })
      const reply = await create(key)
      await change(world, setPlan, { organization: world.acme.id, plan: 'enterprise' })
      return reply
    })
    await assertForgotten('endpoint_disabled', async (key) => {
      const disabled = world.services.disabledOperations as Set<string>
      disabled.add('workspaces.create')
      const reply = await create(key)
      disabled.delete('workspaces.create')
      return reply
    })
    await assertForgotten('insufficient_scope', async (key) => {
      const before = JSON.stringify(['workspaces:read'])
      await change(world, setScopes, { realm, id, scopes: before })
      const reply = await create(key)
      await change(world, setScopes, { realm, id, scopes: JSON.stringify(['workspaces:write', 'tasks:write']) })
      return reply
    })
    await assertForgotten('internal_error', async (key) => {
      const { versions, log } = world.services
      const { downgradeResponse } = versions
      const { error } = log
      log.error = () => {}
      versions.downgradeResponse = () => {
        throw new Error('broken')
      }
      await world.markWritten()
      const reply = await create(key)
      await world.assertWritten({ events: [], audit: [] })
      versions.downgradeResponse = downgradeResponse
      log.error = error
      return reply
    })
  })

  it('stores secrets sealed and replays them only to the same credential', async () => {
    for (const operation of catalogue.filter((each) => each.sealed)) {
      const call = await things.call(operation)
      const key = fresh()
      const first = await sendCall(things, call, key)
      const secret = String(first.body.secret ?? first.body.signing_secret ?? first.body.preview_token)
      assert.ok(secret.length > 20, first.text)
      const stored = await storedText(world)
      assert.ok(stored.includes(first.body.id ?? key.idempotencyKey), 'the search must see what is stored')
      assert.ok(
        !stored.includes(secret.slice(-36)),
        `the secret of ${operation.id} is stored in clear. Declare \`sealed: true\`.`,
      )
      assertReplayed(await sendCall(things, call, key), first)
      const other = await sendCall(things, await things.call(operation), { ...key, key: (await world.key()).secret })
      assert.ok(!other.text.includes(secret))
    }
  })
})
