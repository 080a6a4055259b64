import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import type { Caller } from '../../api/declare/caller.ts'
import { limits } from '../../api/limits.ts'
import { RequestLog, type RequestLogEntry } from '../../api/request-log/request-log.ts'
import { type Store, StoreUnavailable } from '../../db/store.ts'
import { newId } from '../../lib/ids.ts'

const week_ms = 7 * 86_400_000

onEveryEngine('request logs', (engine) => {
  let world: World
  before(async () => {
    world = await openWorld(engine)
  })
  after(() => world.close())
  const withoutId = (text: string) => text.replaceAll(/req_\w+/g, '')

  it('an entry is found right after the answer, with names and figures only', async () => {
    const made = await world.post('/v1/workspaces', { title: 'A secret plan' }, { headers: { 'user-agent': 'curl/8' } })
    const id = made.headers['x-request-id'] as string
    const { text, body } = await world.get(`/v1/request_logs/${id}`)
    assert.deepEqual(body, {
      id,
      object: 'request_log',
      created: 1785844800,
      method: 'POST',
      route: '/v1/workspaces',
      path: '/v1/workspaces',
      query_parameters: [],
      operation: 'workspaces.create',
      status: 200,
      error_code: null,
      error_param: null,
      credential: world.acme.keyId,
      owner: { type: 'organization', id: world.acme.id },
      mode: 'live',
      api_version: '2026-08-03',
      cost: 10,
      charged: 10,
      duration_ms: 0,
      dry_run: false,
      idempotency_replayed: false,
      original_request: null,
      ip: '127.0.0.0/24',
      user_agent: 'curl/8',
      request_bytes: 25,
      response_bytes: Buffer.byteLength(made.text),
      events: body.events,
      expires_at: 1785844800 + 604800,
    })
    assert.equal(body.events.length, 1)
    assert.ok(!text.includes('secret plan'))
  })

  it('an entry of a refusal has the code and parameter, and is the same after it was written', async () => {
    const wrong = await world.get('/v1/members?limit=0')
    const path = `/v1/request_logs/${wrong.headers['x-request-id']}`
    const { body } = await world.get(path)
    assert.deepEqual(
      [body.status, body.error_code, body.error_param, body.query_parameters, body.charged],
      [400, 'invalid_query_parameter', 'limit', ['limit'], 1],
    )
    await world.services.requestLog.flush()
    assert.deepEqual((await world.get(path)).body, body)
  })

  it('the id of another organization or realm answers like an unknown one', async () => {
    const id = (await world.get('/v1/me')).headers['x-request-id']
    const replies = [
      await world.get(`/v1/request_logs/${id}`, { key: world.globex.key }),
      await world.get(`/v1/request_logs/${id}`, { key: world.acme.testKey }),
      await world.get('/v1/request_logs/req_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
      await world.get(`/v1/request_logs/${newId('req', world.clock.now())}`),
      await world.get('/v1/request_logs/nonsense'),
    ]
    await world.services.requestLog.flush()
    replies.push(await world.get(`/v1/request_logs/${id}`, { key: world.globex.key }))
    for (const reply of replies) {
      assert.equal(reply.status, 404)
      assert.equal(withoutId(reply.text), withoutId(replies[2]!.text))
    }
  })

  it('entries added during a flush are found at once and written by the next flush', async () => {
    const { store } = world.services
    const entries = [0, 1].map((number) => {
      const id = newId('req', world.clock.now())
      const entry = JSON.stringify({ id, object: 'request_log', number })
      return { realm: world.acme.realms.live, id, created: world.clock.now(), entry }
    }) as [RequestLogEntry, RequestLogEntry]
    const commits: string[][] = []
    const writeLog: Store['writeLog'] = async (statements) => {
      commits.push(statements.map(({ values }) => String(values.entry)))
      if (commits.length === 1) log.add(entries[1])
      return await store.writeLog(statements)
    }
    const log = new RequestLog(
      new Proxy(store, { get: (of, name) => (name === 'writeLog' ? writeLog : Reflect.get(of, name)) }),
    )
    log.add(entries[0])
    await log.flush()
    assert.equal(commits.length, 1)
    const caller = { realm: world.acme.realms.live, storeScope: 'system' } as Caller
    for (const entry of entries) assert.equal((await log.find(caller, entry.id))?.entry, entry.entry)
    await log.close()
    const numbers = commits.map((rows) => rows.join().match(/"number":\d/g))
    assert.deepEqual(numbers, [['"number":0'], ['"number":1']])
  })

  it('full batches are written at once, and only batches that the store accepted are not written again', async () => {
    let commits = 0
    let isTaken = false
    const writeLog: Store['writeLog'] = async (statements) => {
      commits++
      if (!isTaken) throw new StoreUnavailable('not now')
      return statements.length
    }
    const log = new RequestLog(
      new Proxy(world.services.store, {
        get: (of, name) => (name === 'writeLog' ? writeLog : Reflect.get(of, name)),
      }),
    )
    const entry = 'x'.repeat(limits.request_log_batch_bytes)
    const add = () => log.add({ realm: 1, id: newId('req', world.clock.now()), created: world.clock.now(), entry })
    const turn = () => new Promise(setImmediate)
    // Each fills a row, which is closed by the next.
    for (let i = 0; i < limits.request_log_flush_batches; i++) add()
    await turn()
    assert.equal(commits, 0)
    add()
    await turn()
    assert.equal(commits, 1)
    for (let i = 0; i < 3; i++) add()
    await turn()
    assert.equal(commits, 1, 'the timer tries again')
    isTaken = true
    await log.close()
    await log.flush()
    assert.deepEqual([commits, log.lost], [2, 0])
  })

  it('the oldest entries are dropped and counted if the store is unavailable for long', async () => {
    const writeLog: Store['writeLog'] = async () => Promise.reject(new StoreUnavailable('not now'))
    const log = new RequestLog(
      new Proxy(world.services.store, {
        get: (of, name) => (name === 'writeLog' ? writeLog : Reflect.get(of, name)),
      }),
    )
    const ids: string[] = []
    for (let i = 0; i < limits.request_log_waiting_max + 2; i++) {
      const id = newId('req', world.clock.now())
      ids.push(id)
      log.add({ realm: 1, id, created: world.clock.now(), entry: `{"id":"${id}"}` })
    }
    assert.ok(log.lost > 0 && log.lost <= limits.request_log_batch_max, `${log.lost} lost`)
    const caller = { realm: 1, storeScope: 'system' } as Caller
    assert.equal(await log.find(caller, ids[0] as string), undefined)
    assert.ok(await log.find(caller, ids[log.lost] as string))
    assert.ok(await log.find(caller, ids.at(-1) as string))
    await log.close()
  })

  it('a flush requested during another one writes the entries added in between', async () => {
    const { store } = world.services
    const log = new RequestLog(store)
    const ids = [newId('req', world.clock.now()), newId('req', world.clock.now())]
    const realm = world.acme.realms.live
    const add = (id = '') => log.add({ realm, id, created: world.clock.now(), entry: JSON.stringify({ id }) })
    add(ids[0])
    const first = log.flush()
    add(ids[1])
    await Promise.all([first, log.flush()])
    const other = new RequestLog(store)
    const caller = { realm, storeScope: 'system' } as Caller
    for (const id of ids) assert.ok(await other.find(caller, id))
    await Promise.all([log.close(), other.close()])
  })

  it('an entry answers 410 from the moment it is seven days old, to callers who could read it', async () => {
    const id = (await world.get('/v1/me')).headers['x-request-id']
    world.clock.advance(week_ms - 1)
    assert.equal((await world.get(`/v1/request_logs/${id}`)).status, 200)
    world.clock.advance(1)
    const gone = await world.get(`/v1/request_logs/${id}`)
    assert.deepEqual([gone.status, gone.body.error.code], [410, 'resource_deleted'])
    assert.equal((await world.get(`/v1/request_logs/${id}`, { key: world.globex.key })).status, 404)
  })

  if (engine === 'postgres') {
    it('a retrieve waits until another process has written a young entry', async () => {
      const other = new RequestLog(world.services.store)
      const id = newId('req', world.clock.now())
      const entry = JSON.stringify({ id, object: 'request_log' })
      const reading = world.get(`/v1/request_logs/${id}`)
      other.add({ realm: world.acme.realms.live, id, created: world.clock.now(), entry })
      const { body } = await reading
      assert.deepEqual(body, { id, object: 'request_log' })
      await other.close()
    })
  }
})
