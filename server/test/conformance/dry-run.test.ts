/** `Prefer: dry-run`: every write reports exactly what it would do and changes nothing (contract/17#dry-run). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Check } from 'typebox/value'
import type { Operation } from '../../src/api/declare/operation.ts'
import { DryRun, secretFields } from '../../src/api/write/dry-run.ts'
import { catalogue } from '../../src/catalogue.ts'
import type { Reply } from '../call.ts'
import { populate, sendCall, type ValidCall } from '../things.ts'
import { onEveryWorld, openFirst, openWorld } from '../world.ts'
import { assertRefused } from './answers.ts'
import { databaseOf } from './database.ts'
import { addDependents } from './rows.ts'

const dry = { prefer: 'dry-run' }
const writes = catalogue.filter((operation) => operation.kind === 'write')

/** Whether the operation answers with its target; a preview answers with another object. */
function showsTarget({ target, returns }: Operation): boolean {
  const { object } = (returns as { properties?: { object?: { const?: string } } }).properties ?? {}
  return target === null || object?.const === target.object
}

/** A value as text with ids and secrets masked: they differ between a dry run and the write. */
function masked(value: unknown, operation: Operation): string {
  const names = new Map<string, string>()
  const secret = secretFields(operation)
  const text = JSON.stringify(value, (name, inner) => (name === 'hint' || name === 'last4' ? name : inner))
  // A URL may end in a secret.
  const hidden = secret.reduce((rest, name) => {
    const own = (value as Readonly<Record<string, unknown>>)[name]
    return typeof own === 'string' ? rest.replaceAll(own, `<${name.toUpperCase()}>`) : rest
  }, text)
  // A signature is over an id.
  const unsigned = hidden.replaceAll(/signature=[\w-]+/g, 'signature=<SIGNATURE>')
  return unsigned.replaceAll(/[a-z]{2,4}_[0-7][0-9A-HJKMNP-TV-Z]{25}/g, (id) => {
    names.set(id, names.get(id) ?? `<${id.split('_')[0]} ${names.size}>`)
    return names.get(id) as string
  })
}

onEveryWorld('a dry run', (world, engine) => {
  const things = openFirst(() => populate(world))
  /** One for all operations: an organization has at most 100 keys. */
  let limited: string | undefined

  const eventsSince = async (sequence: number) => {
    const { data } = (await things.send('GET', '/v1/events?limit=100')).body
    return data.filter((event: { sequence: number }) => event.sequence > sequence).reverse()
  }
  const lastSequence = async () => (await things.send('GET', '/v1/events?limit=1')).body.data[0].sequence as number

  async function arrange(operation: Operation): Promise<ValidCall> {
    const call = await things.call(operation)
    const id = Object.values(call.params).at(-1)
    if (operation.target !== null && id !== undefined) await addDependents(things, operation.target.object, id)
    return call
  }

  for (const operation of writes) {
    it(`of ${operation.id} changes no byte and predicts the write`, async () => {
      const call = await arrange(operation)
      const sequence = await lastSequence()
      const before = await databaseOf(world)
      const idempotencyKey = `dry-${operation.id}`
      const reply = await sendCall(things, call, { idempotencyKey, headers: dry })
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(await databaseOf(world), before)

      assert.deepEqual(
        [reply.headers['preference-applied'], reply.headers['content-type'], reply.headers['x-ratelimit-cost']],
        ['dry-run', 'application/json; charset=utf-8; profile=dry-run', String(operation.credits)],
      )
      const { body } = reply
      assert.ok(Check(DryRun, body), reply.text)
      assert.ok(Check(operation.returns, body.answer), reply.text)
      assert.deepEqual(
        [body.operation, body.status, body.credits, body.replays],
        [operation.id, 200, operation.credits, null],
      )
      for (const name of secretFields(operation)) assert.equal(body.answer[name], `<${name.toUpperCase()}>`)

      const real = await sendCall(things, call, { idempotencyKey })
      assert.deepEqual([real.status, real.headers['idempotent-replayed']], [200, undefined], real.text)
      assert.equal(real.headers['preference-applied'], undefined)
      // A test of an endpoint is sent in both cases, and takes its own time.
      const untimed = (answer: object) =>
        'duration_ms' in answer && operation.id === 'webhook_endpoints.test' ? { ...answer, duration_ms: 0 } : answer
      assert.equal(masked(untimed(body.answer), operation), masked(untimed(real.body), operation))
      const emitted = await eventsSince(sequence)
      assert.equal(masked(body.events, operation), masked(emitted, operation))
      assert.equal(body.event_count, emitted.length)
    })

    it(`of ${operation.id} is refused exactly like the write`, async () => {
      const call = await arrange(operation)
      const compare = async (send: (headers: Record<string, string>) => Promise<Reply>) => {
        const [rehearsed, real] = [await send(dry), await send({})]
        const { request_id: _one, ...refused } = rehearsed.body.error
        const { request_id: _two, ...expected } = real.body.error
        assert.deepEqual([rehearsed.status, refused], [real.status, expected])
        assert.equal(rehearsed.headers['preference-applied'], 'dry-run')
        assert.equal(rehearsed.headers['content-type'], real.headers['content-type'])
        assert.equal(rehearsed.headers['retry-after'], real.headers['retry-after'])
      }
      limited ??= (await world.key({ scopes: ['files:read'] })).secret
      const scopeless = limited
      await world.get('/v1/me', { key: scopeless })
      const known = await databaseOf(world)
      await compare((headers) => sendCall(things, call, { headers, key: null }))
      await compare((headers) => sendCall(things, call, { headers, key: scopeless }))
      await compare((headers) => sendCall(things, call, { headers, idempotencyKey: null }))
      await compare((headers) => sendCall(things, call, { headers, idempotencyKey: 'no spaces' }))
      if (operation.uploads) {
        await compare((headers) => sendCall(things, call, { headers: { ...headers, digest: 'sha-256=AAAA' } }))
      } else {
        await compare((headers) => sendCall(things, { ...call, body: { no_such_field: 1 } }, { headers }))
        await compare((headers) => sendCall(things, call, { headers, raw: '{' }))
      }
      assert.deepEqual(await databaseOf(world), known)
      if (operation.target === null) return
      const last = Object.keys(call.params).at(-1) as string
      const missing = {
        ...call,
        params: { ...call.params, [last]: `${operation.target.prefix}_01J4ZK3V8M0000000000000000` },
      }
      await compare((headers) => sendCall(things, missing, { headers }))
    })
  }

  it('replaces every secret of an answer by a placeholder', () => {
    for (const operation of writes) {
      const shown = operation.emits[0]?.noun.schema.properties ?? operation.target?.schema.properties
      const more = Object.keys((operation.returns as { properties?: object }).properties ?? {}).filter(
        (name) => operation.sealed && showsTarget(operation) && !(name in (shown ?? {})),
      )
      for (const name of more) {
        const advice = `${operation.id} answers ${name}: end the name of a secret in _secret or _token.`
        assert.ok(secretFields(operation).includes(name), advice)
      }
      if (operation.sealed) assert.notDeepEqual(secretFields(operation), [], operation.id)
    }
  })

  it('is requested by the preference dry-run as RFC 7240 parses it', async () => {
    const asks: [prefer: string | string[], asked: boolean][] = [
      ['dry-run', true],
      ['DRY-Run', true],
      ['respond-async, dry-run', true],
      [['wait=10', 'dry-run'], true],
      ['dry-run; note="a, b"', true],
      ['foo="x, y"; bar, dry-run', true],
      ['dry-run=""', true],
      ['dry-run=true', true],
      ['dry-run = "TRUE"', true],
      ['dry-run=fales', true],
      ['dry-run=false', false],
      ['dry-run="false", dry-run', false],
      ['dry-run, dry-run=false', true],
      ['respond-async; dry-run', false],
      ['foo="a, dry-run, b"', false],
      ['dry-runs', false],
      ['no-dry-run', false],
      ['handling=strict, return=minimal', false],
      ['', false],
      [', ,', false],
      ['"dry-run', false],
      ['foo="a\\", dry-run"', false],
      ['foo="a\\\\", dry-run', true],
      [`${'"\\'.repeat(5000)}"`, false],
      [`a${' '.repeat(12_000)}x, dry-run`, true],
    ]
    for (const [prefer, asked] of asks) {
      const reply = await world.post('/v1/workspaces', { title: 'Preferred' }, { headers: { prefer } })
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.object, asked ? 'dry_run' : 'workspace', String(prefer))
      assert.equal(reply.headers['preference-applied'], asked ? 'dry-run' : undefined, String(prefer))
    }
    const read = await world.get('/v1/workspaces', { headers: dry })
    assert.deepEqual([read.body.object, read.headers['preference-applied']], ['list', undefined])
  })

  it('neither claims nor replays an idempotency key, and is refused if the key has other input', async () => {
    const key = { idempotencyKey: 'tried-first' }
    const body = { title: 'Tried' }
    for (let i = 0; i < 2; i++) {
      const tried = await world.post('/v1/workspaces', body, { ...key, headers: dry })
      assert.deepEqual([tried.status, tried.body.replays], [200, null])
    }
    const made = await world.post('/v1/workspaces', body, key)
    const request = made.headers['x-request-id']
    const again = await world.post('/v1/workspaces', body, { ...key, headers: dry })
    assert.equal(again.headers['idempotent-replayed'], undefined)
    assert.equal(again.body.replays, request)
    assert.notEqual(again.body.answer.id, made.body.id)
    assert.equal(again.body.event_count, 1)
    const other = await world.post('/v1/workspaces', { title: 'Other' }, { ...key, headers: dry })
    assertRefused(other, 'idempotency_key_reused', 'Idempotency-Key')
    const replay = await world.post('/v1/workspaces', body, key)
    assert.deepEqual([replay.text, replay.headers['original-request']], [made.text, request])
  })

  it('is refused while a write with its key is running', async () => {
    const running = Promise.withResolvers<void>()
    const held = world.services.store.write('system', async () => running.promise)
    const key = { idempotencyKey: 'running' }
    const writing = world.post('/v1/workspaces', { title: 'Running' }, key)
    while (world.services.inProgress.size === 0) await new Promise(setImmediate)
    const tried = await world.post('/v1/workspaces', { title: 'Running' }, { ...key, headers: dry })
    assertRefused(tried, 'idempotency_in_progress', 'Idempotency-Key')
    running.resolve()
    await held
    assert.equal((await writing).status, 200)
  })

  it('costs one credit, needs room for the list price and is marked in the request log', async () => {
    const limited = await openWorld(engine, { environment: { ATRIUM_CREDITS_PER_MINUTE: '1000' } })
    try {
      const used = async () => (await limited.get('/v1/usage')).body.minute.used
      const before = await used()
      const body = { resource: 'tasks' }
      const tried = await limited.post('/v1/exports', body, { headers: dry })
      assert.deepEqual([tried.status, tried.body.credits], [200, 500])
      assert.equal(await used(), before + 2)
      const log = await limited.get(`/v1/request_logs/${tried.headers['x-request-id']}`)
      const { dry_run, charged, cost, events } = log.body
      assert.deepEqual([dry_run, charged, cost, events], [true, 1, 500, []])
      assert.equal((await limited.post('/v1/exports', body)).status, 200)
      const refused = await limited.post('/v1/exports', body, { headers: dry })
      assertRefused(refused, 'rate_limit_exceeded')
    } finally {
      await limited.close()
    }
  })

  it('names outside calls instead of making them, and still checks the URL', async () => {
    const body = { url: 'http://127.0.0.1:9/unused', event_types: ['*'] }
    const tried = await world.post('/v1/webhook_endpoints', body, { headers: dry })
    assert.equal(tried.status, 200, tried.text)
    assert.deepEqual(tried.body.skipped_calls, [{ method: 'POST', url: body.url }])
    const forbidden = { ...body, url: 'http://example.com/' }
    const refused = await world.post('/v1/webhook_endpoints', forbidden, { headers: dry })
    assertRefused(refused, 'invalid_webhook_url', 'url')
  })

  it('of a new key creates none', async () => {
    const keys = async () => (await world.get('/v1/api_keys?limit=100')).text
    const before = await keys()
    const tried = await world.post('/v1/api_keys', { name: 'Tried', scopes: ['api:read'] }, { headers: dry })
    assert.equal(tried.body.answer?.secret, '<SECRET>', tried.text)
    assert.equal(await keys(), before)
  })

  it('shows the first 100 events and counts all', async () => {
    const workspace = things.id('workspace')
    const project = await things.fresh('other_project')
    for (let i = 0; i < 2; i++) {
      const data = Array.from({ length: 75 }, (_, n) => ({ title: `Task ${i} ${n}`, project }))
      await world.make('/v1/tasks/batch', { workspace, data })
    }
    const { body } = await world.post(`/v1/projects/${project}/archive`, undefined, { headers: dry })
    assert.deepEqual([body.events.length, body.event_count], [100, 151])
  })

  it('leaves concurrent writes alone: numbers and sequences stay without gap', async () => {
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Busy' })
    const sequence = await lastSequence()
    const sends = Array.from({ length: 120 }, (_, i) =>
      world.post('/v1/tasks', { workspace, title: `Task ${i}` }, i % 3 === 0 ? { headers: dry } : {}),
    )
    const replies = await Promise.all(sends)
    for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    const made = replies.filter((reply) => reply.body.object === 'task')
    assert.equal(made.length, 80)
    const numbers = made.map((reply) => reply.body.number).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 80 }, (_, i) => i + 1),
    )
    const emitted = await eventsSince(sequence)
    assert.equal(emitted.length, 80)
    assert.equal(emitted.at(-1).sequence, sequence + 80)
  })

  it('that fails midway leaves the store unchanged and reports the error', async () => {
    const { store } = world.services
    const before = await databaseOf(world)
    const scope = { organization: world.acme.id, realms: [world.acme.realms.live] }
    const row = { organization: world.acme.id, sequence: 1 } as never
    await assert.rejects(
      store.rehearse(scope, async (tx) => {
        tx.insert('audit_entries', row)
      }),
    )
    await assert.rejects(
      store.rehearse(scope, async (tx) => {
        const heads = await tx.heads(world.acme.id)
        heads.changed = true
        heads.audit.sequence += 5
        throw new Error('on purpose')
      }),
      /on purpose/,
    )
    assert.equal(await store.rehearse(scope, async () => 7), 7)
    assert.deepEqual(await databaseOf(world), before)
  })
})
