/** Calls, lists, files and webhooks of the Python SDK, against a real server. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { drainDeliveries } from '../../../server/src/workers/deliveries/deliveries.ts'
import { openReceiver, type Received, type Receiver } from '../../../server/test/receiver.ts'
import { openWorld, started_at, type World } from '../../../server/test/world.ts'
import { type FlakyProxy, openProxy, type Passed } from '../../typescript/test/proxy.ts'
import { Driver, failed, onPython, type PythonClient } from './driver.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const now = 1785844800
const event = '{"type":"workflow.task.created","name":"Zoë – 任务"}'
const sign = (payload: string, timestamp = now, by = secret) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp })

onPython('the Python SDK', (flavor) => {
  let world: World
  let proxy: FlakyProxy
  let receiver: Receiver
  let driver: Driver
  let atrium: PythonClient
  let workspace: string
  const client = (options: object = {}) =>
    driver.client(flavor, { api_key: world.acme.key, base_url: proxy.url, ...options })
  const last = () => proxy.passed.at(-1) as Passed

  before(async () => {
    world = await openWorld('sqlite')
    proxy = await openProxy(() => world.server.url)
    receiver = await openReceiver()
    driver = new Driver()
    atrium = await client()
    workspace = (await world.make('/v1/workspaces', { title: 'Calls' })).id
  })
  beforeEach(() => {
    proxy.passed.length = 0
  })
  after(async () => {
    await driver.end()
    await receiver.close()
    await proxy.close()
    await world.close()
  })

  it('accepts a base URL with and without /v1 and a slash', async () => {
    for (const ending of ['', '/', '/v1', '/v1/', '//']) {
      await (await client({ base_url: `${proxy.url}${ending}` })).call('me.retrieve')
      assert.equal(last().url, '/v1/me', ending)
    }
  })

  it('sends parameters of writes in the body and those of reads in the query, None as null, and no others', async () => {
    const given = { workspace, title: 'Füße – 足', labels: ['a', 'b'], assignee: null }
    const task = await atrium.data('tasks.create', given)
    assert.deepEqual((await world.get(`/v1/tasks/${task.id}`)).body, task)
    assert.deepEqual(JSON.parse(last().body), given)
    const params = { workspace, status: ['todo', 'done'], is_archived: false, limit: 1, fields: ['id', 'title'] }
    assert.deepEqual(await atrium.data('tasks.list', params), [{ id: task.id, title: 'Füße – 足' }])
    const query = `?workspace=${workspace}&status=todo&status=done&is_archived=false&limit=1&fields=id%2Ctitle`
    const sent = new URLSearchParams(last().url.split('?')[1])
    assert.deepEqual([...sent].sort(), [...new URLSearchParams(query)].sort())
    assert.deepEqual([last().method, last().body], ['GET', ''])
  })

  it('refuses an id that would change the path', async () => {
    for (const id of ['', '.', '..', null]) await failed(atrium.call('tasks.retrieve', {}, [id]), 'AtriumError')
    assert.deepEqual(proxy.passed, [])
    await failed(atrium.call('tasks.retrieve', {}, ['../me?x=1']), 'InvalidRequestError')
    assert.equal(last().url, '/v1/tasks/..%2Fme%3Fx%3D1')
  })

  it('returns objects instead of ids with expand', async () => {
    const project = await atrium.data('projects.create', { workspace, name: 'Expanded' })
    const { id } = await atrium.data('tasks.create', { workspace, project: project.id, title: 'Inner' })
    const task = await atrium.data('tasks.retrieve', { expand: ['project', 'assignee'] }, [id])
    assert.deepEqual([task.project.name, task.assignee], ['Expanded', null])
  })

  it('performs a write only on the revision that the caller has', async () => {
    const task = await atrium.data('tasks.create', { workspace, title: 'Guarded' })
    await atrium.data('tasks.update', { title: 'Renamed', if_match: task }, [task.id])
    assert.equal(last().headers['if-match'], '"1"')
    const late = atrium.call('tasks.update', { title: 'Late', if_match: task }, [task.id])
    const { code, status, param } = await failed(late, 'InvalidRequestError')
    assert.deepEqual([code, status, param], ['resource_conflict', 409, 'If-Match'])
    for (const if_match of [2, '"2"', '*']) await atrium.call('tasks.update', { title: 'Renamed', if_match }, [task.id])
  })

  it('raises errors in the class of their type, with all details of the API', async () => {
    const missing = await failed(atrium.call('tasks.retrieve', {}, ['KEP-404']), 'InvalidRequestError')
    assert.deepEqual(missing.classes.slice(0, 3), ['InvalidRequestError', 'ApiError', 'AtriumError'])
    assert.deepEqual([missing.status, missing.code, missing.message], [404, 'resource_not_found', 'No such task.'])
    assert.match(String(missing.request_id), /^req_/)
    const wrong = await failed(
      atrium.call('tasks.create', { workspace, title: '', priority: 'x' }),
      'InvalidRequestError',
    )
    assert.deepEqual(wrong.details?.map(({ param }) => param).sort(), ['priority', 'title'])
    await failed((await client({ api_key: 'atr_live_no' })).call('me.retrieve'), 'AuthenticationError')
    const { secret: key } = await world.key({ scopes: ['tasks:read'] })
    await failed((await client({ api_key: key })).call('teams.list'), 'PermissionDeniedError')
    const idempotency_key = `taken-${flavor}`
    await atrium.call('workspaces.create', { title: 'One', idempotency_key })
    const taken = atrium.call('workspaces.create', { title: 'Two', idempotency_key })
    assert.equal((await failed(taken, 'IdempotencyError')).code, 'idempotency_key_reused')
  })

  it('returns the metadata of an answer, and requests cached answers conditionally', async () => {
    const cached = await client({ cache: 2 })
    const { id } = await cached.data('tasks.create', { workspace, title: 'Kept' })
    const [first, again] = [
      await cached.call('tasks.retrieve', {}, [id]),
      await cached.call('tasks.retrieve', {}, [id]),
    ]
    assert.deepEqual([first.response.status, first.response.cost, first.response.attempts], [200, 1, 1])
    assert.deepEqual([again.response.status, again.response.cost, again.data], [304, null, first.data])
    assert.equal(first.response.version, '2026-08-03')
    await cached.call('tasks.update', { title: 'New' }, [id])
    assert.equal((await cached.data('tasks.retrieve', {}, [id])).title, 'New')
  })

  it('tries a write without changes, and raises if the server performed it', async () => {
    const task = await atrium.data('tasks.create', { workspace, title: 'Tried' })
    await world.markWritten()
    const { answer, plan } = await atrium.run('dry_run', { resource: ['tasks'], method: 'complete', ids: [task.id] })
    assert.deepEqual([plan.operation, answer.status, plan.credits], ['tasks.complete', 'done', 10])
    await world.assertWritten({ events: [], audit: [] })
    const read = atrium.run('dry_run', { resource: ['tasks'], method: 'retrieve', ids: [task.id] })
    assert.match((await failed(read, 'AtriumError')).message, /did not perform a dry run/)
  })

  it('calls operations that it has no method for', async () => {
    const query = { workspace, status: ['todo', 'done'], limit: 1 }
    const page = await atrium.run('request', { ids: ['GET', '/v1/tasks'], params: { query } })
    assert.equal(page.data.length, 1)
    const body = { workspace, title: 'Plain' }
    assert.equal((await atrium.run('request', { ids: ['POST', '/v1/tasks'], params: { body } })).title, 'Plain')
  })

  it('sends the credential only in Authorization and never reveals it', async () => {
    const key = world.acme.key
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
    await (await client({ headers: { 'X-Trace': '7' } })).call('me.retrieve')
    const { headers, url } = last()
    assert.deepEqual([headers.authorization, headers['x-trace']], [`Bearer ${key}`, '7'])
    assert.equal(headers['user-agent'], `atrium-sdk-python/${version}`)
    assert.ok(!url.includes(key))
    assert.ok(!String(await atrium.run('text_of', {})).includes(key))
    const broken = await failed((await client({ api_key: `${key}\n` })).call('me.retrieve'), 'AtriumError')
    assert.ok(!broken.message.includes(key))
    const none = await failed((await client({ api_key: null })).call('me.retrieve'), 'AuthenticationError')
    assert.equal(none.code, 'missing_api_key')
  })

  it('walks lists exactly once each object, in pages of maximum length, in both directions', async () => {
    const { id } = await atrium.data('workspaces.create', { title: 'Lists' })
    const ids: string[] = []
    for (const size of [100, 100, 50]) {
      const data = Array.from({ length: size }, (_, i) => ({ title: `Task ${ids.length + i}` }))
      const made = await world.make('/v1/tasks/batch', { workspace: id, data })
      ids.unshift(...made.data.map((task: { id: string }) => task.id).reverse())
    }
    const walk = async (params: object, more: object = {}) =>
      (await atrium.walk('tasks.list', { workspace: id, ...params }, more)).map((task: { id: string }) => task.id)
    proxy.passed.length = 0
    assert.deepEqual(await walk({}), ids)
    assert.equal(proxy.passed.length, 3)
    assert.deepEqual(await walk({}, { max: 120 }), ids.slice(0, 120))
    assert.equal(proxy.passed.length, 5)
    assert.deepEqual(await walk({}, { max: 0 }), [])
    assert.equal(proxy.passed.length, 5)
    assert.deepEqual(await walk({ ending_before: ids.at(-1), limit: 60 }), ids.slice(0, -1).reverse())
    assert.deepEqual(await atrium.walk('tasks.list', { workspace: id, limit: 100 }, { as: 'pages' }), [100, 100, 50])
    const sequences = (await atrium.walk('events.list', {})).map((each: { sequence: number }) => each.sequence)
    assert.deepEqual(
      sequences,
      Array.from({ length: sequences.length }, (_, i) => sequences.length - i),
    )
    const refused = await failed(walk({ starting_after: 'nothing' }), 'InvalidRequestError')
    assert.deepEqual([refused.code, refused.param], ['cursor_invalid', 'starting_after'])
  })

  it('uploads and downloads a file block by block, and repeats what can be read again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-python-'))
    try {
      const [path, copy] = [join(folder, 'plan.bin'), join(folder, 'copy.bin')]
      const content = Buffer.alloc(20 * 1024 * 1024, 'atrium')
      writeFileSync(path, content)
      const sha256 = createHash('sha256').update(content).digest('hex')
      const direct = await client({ base_url: world.server.url })
      const { file, peak } = await direct.run('upload', { path, params: { workspace, name: 'plan.bin' } })
      assert.deepEqual([file.bytes, file.sha256], [content.length, sha256])
      const saved = await direct.run('download', { url: file.url, path: copy })
      assert.deepEqual([saved.size, saved.sha256], [content.length, sha256])
      for (const [what, bytes] of [
        ['upload', peak],
        ['download', saved.peak],
      ] as const)
        assert.ok(bytes < 4 * 1024 * 1024, `${what} allocated ${bytes} bytes for ${content.length}`)
      const piped = await direct.run('upload', { size: 300_000, params: { workspace, name: 'zeros.bin' } })
      assert.equal(piped.file.bytes, 300_000)

      writeFileSync(path, 'small')
      proxy.faults = ['lost before', 'half']
      const repeated = await atrium.run('upload', { path, params: { workspace, name: 'small.txt' } })
      assert.deepEqual([repeated.file.bytes, new Set(proxy.passed.map(({ body }) => body))], [5, new Set(['small'])])
      proxy.faults = ['lost before']
      const once = atrium.run('upload', { size: 5, params: { workspace, name: 'once.bin' } })
      await failed(once, 'ConnectionFailedError')
    } finally {
      proxy.faults = []
      rmSync(folder, { recursive: true })
    }
  })

  it('verifies signatures over the exact bytes, and says what is wrong with the others', async () => {
    const verify = (headers: unknown, more: object = {}) =>
      driver.run('verify', { text: event, headers, secrets: secret, options: { now }, ...more })
    const refused = async (running: Promise<unknown>, reason: string) =>
      assert.equal((await failed(running, 'WebhookVerificationError')).reason, reason)
    const signature = sign(event)
    const bytes = Buffer.from(event).toString('base64')
    for (const headers of [
      signature,
      { 'Service-Signature': signature },
      { 'service-signature': [signature] },
      { HTTP_SERVICE_SIGNATURE: signature },
    ]) {
      assert.deepEqual(await verify(headers), JSON.parse(event))
      assert.deepEqual(await verify(headers, { body: bytes }), JSON.parse(event))
    }
    const standard = (by: string, id = 'evt_1') => ({
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': `v2,AAAA ${new Webhook(by).sign('evt_1', new Date(now * 1000), event)}`,
    })
    assert.deepEqual(await verify(standard(secret)), JSON.parse(event))
    await refused(verify(standard(other)), 'wrong_signature')
    await refused(verify(standard(secret, 'evt_2')), 'wrong_signature')
    assert.deepEqual(await verify(signature, { secrets: [other, secret] }), JSON.parse(event))
    await refused(verify(sign(event, now, other)), 'wrong_signature')
    await refused(verify(signature, { text: event.replace('Zoë', 'Zoe') }), 'wrong_signature')
    await refused(verify(signature.replace(`t=${now}`, `t=${now + 1}`)), 'wrong_signature')
    for (const age of [300, -300]) await verify(signature, { options: { now: now + age } })
    for (const age of [301, -301])
      await refused(verify(signature, { options: { now: now + age } }), 'outside_tolerance')
    await refused(verify(signature, { options: { now: now + 11, tolerance: 10 } }), 'outside_tolerance')
    await refused(verify({}), 'missing_signature')
    const v1 = signature.split(',')[1]
    for (const header of ['x', 't=1', `${v1}`, `t=x,${v1}`, `t=1,t=2,${v1}`, 't=1,v1=zz', 't=1,v0=00', `t=１,${v1}`])
      await refused(verify(header), 'malformed_signature')
    for (const text of ['{', '[]', 'null', '{"type":1}']) await refused(verify(sign(text), { text }), 'invalid_payload')
    await failed(verify(signature, { secrets: '' }), 'TypeError')
    await failed(verify(signature, { text: {} }), 'TypeError')
  })

  it('verifies a real delivery, with the old and the new secret during a rotation', async () => {
    const types = { url: receiver.url, event_types: ['workflow.project.created'] }
    const endpoint = await atrium.data('webhook_endpoints.create', types)
    const { signing_secret: rotated } = await atrium.data('webhook_endpoints.rotate_secret', {}, [endpoint.id])
    await atrium.call('projects.create', { workspace, name: 'Announced' })
    const before = receiver.events.length
    await drainDeliveries(world.services)
    await receiver.received(before + 1)
    const { body, headers } = receiver.events.at(-1) as Received
    const { 'service-signature': _own, ...standard } = headers
    for (const secrets of [rotated, endpoint.signing_secret])
      for (const given of [headers, standard]) {
        const options = { now: Math.floor(started_at / 1000) }
        const verified = await driver.run('verify', { text: body, headers: given, secrets, options })
        assert.equal(verified.data.object.name, 'Announced')
      }
    await atrium.call('webhook_endpoints.delete', {}, [endpoint.id])
  })
})
