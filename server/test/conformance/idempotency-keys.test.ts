/** Idempotency keys: format, scope, concurrency and window (contract/03). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CallOptions } from '../call.ts'
import { onEveryWorld } from '../world.ts'
import { assertRefused } from './answers.ts'
import { assertReplayed, fresh, setScopes } from './idempotency.ts'
import { change } from './stored.ts'

const hour = 3_600_000

onEveryWorld('an idempotency key', (world) => {
  const create = (options: CallOptions, title = 'Once') => world.post('/v1/workspaces', { title }, options)

  it('has 1 to 255 visible ASCII characters and is sent once', async () => {
    const good = [
      'a',
      '!',
      '~',
      'x'.repeat(255),
      'a,b',
      'a;b=c',
      "it's",
      'a"b',
      '\\',
      '{}',
      '"quoted"',
      `"${'y'.repeat(255)}"`,
    ]
    for (const key of good) assert.equal((await create({ idempotencyKey: key })).status, 200, key)
    const bad = [
      'x'.repeat(256),
      'a b',
      ' ',
      '',
      '\u00e4',
      'a\tb',
      '"',
      '""',
      '"a',
      '"a"b',
      '"a b"',
      '"a\\n"',
      `"${'x'.repeat(256)}"`,
    ]
    for (const key of bad) {
      const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') }
      const reply = await create({ idempotencyKey: null, headers })
      assertRefused(reply, 'invalid_idempotency_key', 'Idempotency-Key', JSON.stringify(key))
    }
    for (const twice of [
      ['a1', 'b1'],
      ['same', 'same'],
    ]) {
      const reply = await create({ idempotencyKey: null, headers: { 'idempotency-key': twice } })
      assertRefused(reply, 'invalid_idempotency_key', 'Idempotency-Key')
    }
  })

  it('is the same with and without quotes', async () => {
    const first = await create({ idempotencyKey: 'quoted-or-not' })
    assertReplayed(await create({ idempotencyKey: '"quoted-or-not"' }), first)
    const escaped = await create({ idempotencyKey: '"a\\"b\\\\c"' })
    assertReplayed(await create({ idempotencyKey: 'a"b\\c' }), escaped)
  })

  it('belongs to one credential in one realm', async () => {
    const key = fresh()
    const first = await create(key)
    const replies = [await create({ ...key, key: (await world.key()).secret })]
    replies.push(await create({ ...key, key: world.acme.testKey }), await create({ ...key, key: world.globex.key }))
    for (const reply of replies) {
      assert.equal(reply.headers['idempotent-replayed'], undefined)
      assert.equal(reply.status, 200)
      assert.notEqual(reply.body.id, first.body.id)
    }
    const stranger = (await world.key()).secret
    assert.equal((await create({ ...key, key: stranger }, 'Other input')).status, 200)
  })

  it('is replayed only while the credential has the scope', async () => {
    const { id, secret } = await world.key()
    const key = { ...fresh(), key: secret }
    const first = await create(key)
    await change(world, setScopes, { realm: world.acme.realms.live, id, scopes: '[]' })
    assertRefused(await create(key), 'insufficient_scope')
    await change(world, setScopes, { realm: world.acme.realms.live, id, scopes: '["workspaces:write"]' })
    assertReplayed(await create(key), first)
  })

  it('lets one of 40 concurrent requests run; the others get its answer or 409', async () => {
    const key = fresh()
    await world.markWritten()
    const replies = await Promise.all(Array.from({ length: 40 }, () => create(key, 'Stampede')))
    const made = replies.filter((reply) => reply.status === 200)
    assert.equal(new Set(made.map((reply) => reply.text)).size, 1)
    assert.equal(made.filter((reply) => reply.headers['idempotent-replayed'] === undefined).length, 1)
    for (const reply of replies.filter((each) => each.status !== 200)) {
      assertRefused(reply, 'idempotency_in_progress', 'Idempotency-Key')
      assert.equal(reply.headers['retry-after'], '1')
    }
    await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
    assert.equal((await create(key, 'Stampede')).headers['idempotent-replayed'], 'true')
  })

  it('lets 40 concurrent requests with 40 keys all run', async () => {
    await world.markWritten()
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => create(fresh(), `Crowd ${i}`)))
    assert.deepEqual(
      replies.map((reply) => reply.body.title),
      Array.from({ length: 40 }, (_, i) => `Crowd ${i}`),
    )
    assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 40)
    await world.assertWritten({
      events: replies.map(() => 'workflow.workspace.created'),
      audit: replies.map(() => 'workspaces.create'),
    })
  })

  it('is free again at the millisecond it turns 24 hours old', async () => {
    const key = fresh()
    const start = world.clock.now()
    const first = await create(key)
    world.clock.set(start + 24 * hour - 1000)
    assertReplayed(await create(key), first)
    assertRefused(await create(key, 'Other'), 'idempotency_key_reused')
    world.clock.set(start + 24 * hour - 1)
    assertReplayed(await create(key), first)
    world.clock.set(start + 24 * hour)
    const second = await create(key, 'Other')
    assert.deepEqual([second.status, second.headers['idempotent-replayed']], [200, undefined])
    assert.notEqual(second.body.id, first.body.id)
    assertReplayed(await create(key, 'Other'), second)
  })
})
