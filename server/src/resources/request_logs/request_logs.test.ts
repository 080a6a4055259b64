import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { RequestLog, type RequestLogEntry } from '../../api/request-log/request-log.ts'
import { type Store, StoreUnavailable } from '../../db/store.ts'
import { idTime, newId } from '../../lib/ids.ts'

const week_ms = 7 * 86_400_000

onEveryWorld('request logs', (world, engine) => {
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

  it('a request that met no operation is logged too, if it has one valid credential', async () => {
    const sent = [
      await world.get('/v1/tusks?limit=5'),
      await world.call('PUT', '/v1/tasks'),
      await world.get('/v1/tasks/%zz'),
    ]
    const shown = await Promise.all(
      sent.map(async ({ headers }) => (await world.get(`/v1/request_logs/${headers['x-request-id']}`)).body),
    )
    assert.deepEqual(
      shown.map(({ method, path, route, operation, status, error_code, cost, charged, credential }) => [
        ...[method, path, route, operation, status, error_code, cost, charged, credential],
      ]),
      [
        ['GET', '/v1/tusks', null, null, 404, 'resource_not_found', 0, 0, world.acme.keyId],
        ['PUT', '/v1/tasks', null, null, 404, 'resource_not_found', 0, 0, world.acme.keyId],
        ['GET', '/v1/tasks/%zz', null, null, 404, 'resource_not_found', 0, 0, world.acme.keyId],
      ],
    )
    const expired = await world.key({ expiresAt: world.clock.now() - 1 })
    for (const key of [expired.secret, 'atr_live_wrong', '']) {
      const reply = await world.get('/v1/tusks', key === '' ? { key: undefined as never } : { key })
      assert.equal(withoutId(reply.text), withoutId(sent[0]?.text as string), 'the answer does not depend on the key')
      assert.equal((await world.get(`/v1/request_logs/${reply.headers['x-request-id']}`)).status, 404)
    }
  })

  it('the list has the requests of the realm, newest first, each as it is shown alone', async () => {
    const key = await world.key()
    const by = { key: key.secret }
    const sent = [
      await world.get('/v1/me', by),
      await world.post('/v1/workspaces', { title: 'Listed' }, by),
      await world.get('/v1/tasks/tsk_none', by),
      await world.get('/v1/nothing', by),
    ]
    const ids = sent.map(({ headers }) => String(headers['x-request-id'])).reverse()
    const list = async (query: string) => {
      const { status, body } = await world.get(`/v1/request_logs?credential=${key.id}&${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const idsOf = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id)
    const whole = await list('limit=10')
    assert.deepEqual([await idsOf('limit=10'), whole.has_more, whole.next_cursor], [ids, false, null])
    for (const entry of whole.data) assert.deepEqual(entry, (await world.get(`/v1/request_logs/${entry.id}`)).body)
    const [unrouted, missing, created, me] = ids
    const cases: Readonly<Record<string, readonly (string | undefined)[]>> = {
      'status=404': [unrouted, missing],
      'status=404&status=200': ids,
      'status_class=2xx': [created, me],
      'status_class=5xx': [],
      'operation=workspaces.create': [created],
      'operation=none': [unrouted],
      'operation=none&operation=me.retrieve': [unrouted, me],
      'method=POST': [created],
      'method=GET&status_class=4xx': [unrouted, missing],
      'path_prefix=/v1/tasks': [missing],
      'path_prefix=/v1/': ids,
    }
    for (const [query, expected] of Object.entries(cases)) assert.deepEqual(await idsOf(query), expected, query)
    const first = await list('limit=2')
    assert.deepEqual([first.data.length, first.has_more, first.next_cursor], [2, true, missing])
    assert.deepEqual(await idsOf(`limit=2&starting_after=${first.next_cursor}`), [created, me])
    const elsewhere = { key: world.globex.key }
    assert.deepEqual((await world.get(`/v1/request_logs?credential=${key.id}`, elsewhere)).body.data, [])
    const foreign = await world.get(`/v1/request_logs?starting_after=${me}`, elsewhere)
    assert.equal(foreign.body.error.code, 'cursor_invalid')
  })

  it('the times of the list are exclusive, and what is over seven days old is not in it', async () => {
    world.clock.set(Math.ceil(idTime(newId('req', world.clock.now())) / 1000) * 1000)
    const key = await world.key()
    const at: number[] = []
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      world.clock.advance(10_000)
      at.push(world.clock.now() / 1000)
      ids.push(String((await world.get('/v1/me', { key: key.secret })).headers['x-request-id']))
    }
    const [first, middle, last] = ids
    const idsOf = async (query: string) =>
      (await world.get(`/v1/request_logs?credential=${key.id}&${query}`)).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(await idsOf(`created_after=${at[0]}`), [last, middle])
    assert.deepEqual(await idsOf(`created_before=${at[2]}`), [middle, first])
    assert.deepEqual(await idsOf(`created_after=${at[0]}&created_before=${at[2]}`), [middle])
    assert.deepEqual(await idsOf(`created_before=${at[2]}&starting_after=${middle}`), [first])
    world.clock.advance(week_ms - 15_000)
    assert.deepEqual(await idsOf('limit=9'), [last, middle])
  })

  it('a page looks at a bounded number of requests and says where to go on', async () => {
    const { requestLog } = world.services
    const realm = world.acme.realms.test
    const credential = newId('key', world.clock.now())
    for (let i = 0; i < limits.request_log_scanned_max + 500; i++) {
      const id = newId('req', world.clock.now())
      const entry = JSON.stringify({
        id,
        object: 'request_log',
        created: Math.floor(world.clock.now() / 1000),
        credential,
      })
      requestLog.add({ realm, id, created: world.clock.now(), entry })
    }
    const test = { key: world.acme.testKey }
    const path = `/v1/request_logs?credential=${world.acme.keyId}`
    const { body } = await world.get(path, test)
    assert.deepEqual([body.data, body.has_more], [[], true])
    const rest = (await world.get(`${path}&starting_after=${body.next_cursor}`, test)).body
    assert.deepEqual([rest.data, rest.has_more], [[], false])
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
    const caller = { realm: world.acme.realms.live, storeScope: 'system' } as const
    for (const entry of entries) assert.equal((await log.find(caller, entry.id))?.entry, entry.entry)
    await log.close()
    const numbers = commits.map((rows) => rows.join().match(/"number":\d/g))
    assert.deepEqual(numbers, [['"number":0'], ['"number":1']])
  })

  it('full batches are written at once, and only batches that the store accepted are not written again', async ({
    mock,
  }) => {
    // Only the test says when the timer tries again.
    mock.timers.enable({ apis: ['setInterval'] })
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
    mock.timers.tick(limits.request_log_flush_ms)
    await turn()
    assert.equal(commits, 2)
    isTaken = true
    await log.close()
    await log.flush()
    assert.deepEqual([commits, log.lost], [3, 0])
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
    const caller = { realm: 1, storeScope: 'system' } as const
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
    const caller = { realm, storeScope: 'system' } as const
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
