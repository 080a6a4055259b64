/** Retries of the Python SDK, against a real server behind a proxy that injects faults. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { openWorld, type World } from '../../../server/test/world.ts'
import { type Fault, type FlakyProxy, openProxy } from '../../typescript/test/proxy.ts'
import { Driver, failed, onPython, type PythonClient } from './driver.ts'

/** An error answer of Atrium. */
function refusal(status: number, type: string, code: string, headers: Record<string, string> = {}): Fault {
  const body = JSON.stringify({ error: { type, code, message: 'No.', request_id: 'req_0' } })
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

const inProgress = refusal(409, 'idempotency_error', 'idempotency_in_progress', { 'retry-after': '1' })
const limited = (seconds: string) => refusal(429, 'rate_limit_error', 'rate_limit_exceeded', { 'retry-after': seconds })
const unavailable = refusal(503, 'api_error', 'rate_limit_unavailable', { 'retry-after': '2' })
const switchedOff = refusal(503, 'api_error', 'endpoint_disabled')
const badGateway: Fault = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' }

onPython('the Python SDK, when requests fail,', (flavor) => {
  let world: World
  let proxy: FlakyProxy
  let driver: Driver
  let workspace: string
  before(async () => {
    world = await openWorld('sqlite')
    proxy = await openProxy(() => world.server.url)
    driver = new Driver()
    workspace = (await world.make('/v1/workspaces', { title: 'Retries' })).id
  })
  beforeEach(() => {
    proxy.faults = []
    proxy.passed.length = 0
  })
  after(async () => {
    await driver.end()
    await proxy.close()
    await world.close()
  })

  const client = (options: object = {}): Promise<PythonClient> =>
    driver.client(flavor, { api_key: world.acme.key, base_url: proxy.url, ...options })
  const titled = async (title: string) =>
    (await world.get(`/v1/tasks?limit=100&filter=${encodeURIComponent(`title = "${title}"`)}`)).body.data
  const keys = () => proxy.passed.map(({ headers }) => headers['idempotency-key'])

  it('retries a write with one key through every transient failure, and it happens once', async () => {
    proxy.faults = ['lost before', 'lost after', 'half', inProgress, limited('7'), unavailable, badGateway]
    await world.markWritten()
    const atrium = await client({ max_retries: 7 })
    const { data, response } = await atrium.call('tasks.create', { workspace, title: 'Once' })
    assert.deepEqual(await titled('Once'), [data])
    assert.equal(proxy.passed.length, 8)
    assert.equal(new Set(keys()).size, 1)
    assert.match(String(keys()[0]), /^[0-9a-f-]{36}$/)
    assert.deepEqual([...new Set(proxy.passed.map(({ body }) => body))], [JSON.stringify({ workspace, title: 'Once' })])
    assert.deepEqual([response.attempts, response.replayed, response.status], [8, true, 200])
    await world.assertWritten({ events: ['workflow.task.created'], audit: ['tasks.create'] })
  })

  it('gives each call its own key, and uses a given one', async () => {
    const atrium = await client()
    const make = (more: object = {}) => atrium.data('tasks.create', { workspace, title: 'Keyed', ...more })
    const [first, second] = [await make(), await make()]
    const mine = { idempotency_key: `mine-${flavor}` }
    const [third, again] = [await make(mine), await make(mine)]
    assert.equal(new Set(keys()).size, 3)
    assert.deepEqual(keys().slice(2), [mine.idempotency_key, mine.idempotency_key])
    assert.notEqual(first.id, second.id)
    assert.deepEqual(again, third)
  })

  it('waits for Retry-After plus a random time, otherwise a time that doubles', async () => {
    proxy.faults = [limited('7'), 'lost before', 'lost before', 'lost before']
    const atrium = await client()
    await atrium.call('me.retrieve')
    const retried: { attempt: number; method: string; path: string; wait: number }[] = await atrium.run('retried', {})
    const [asked = 0, ...others] = retried.map(({ wait }) => wait)
    assert.ok(asked >= 7 && asked <= 7.5, String(asked))
    for (const [i, wait] of others.entries()) {
      const whole = 0.5 * 2 ** (i + 1)
      assert.ok(wait >= whole / 2 && wait <= whole, `${wait} of ${whole}`)
    }
    assert.deepEqual(
      retried.map(({ attempt, method, path }) => `${attempt} ${method} ${path}`),
      ['1 GET /v1/me', '2 GET /v1/me', '3 GET /v1/me', '4 GET /v1/me'],
    )
  })

  it('gives up after the maximum number of attempts, of the client or of the call', async () => {
    proxy.faults = ['lost before', 'lost before', 'lost before']
    await failed((await client({ max_retries: 1 })).call('me.retrieve'), 'ConnectionFailedError')
    assert.equal(proxy.passed.length, 2)
    await failed((await client()).call('me.retrieve', { max_retries: 0 }), 'ConnectionFailedError')
    assert.equal(proxy.passed.length, 3)
  })

  it('raises at once if Retry-After exceeds the limit, and shows it', async () => {
    proxy.faults = [limited('61')]
    const { code, retry_after } = await failed((await client()).call('me.retrieve'), 'RateLimitError')
    assert.deepEqual([retry_after, code, proxy.passed.length], [61, 'rate_limit_exceeded', 1])
    proxy.faults = [limited('61')]
    await (await client({ max_retry_after: 100 })).call('me.retrieve')
    assert.equal(proxy.passed.length, 3)
  })

  it('does not retry decisions of the server: invalid input, missing objects, conflicts, disabled operations', async () => {
    const atrium = await client()
    const { id } = await atrium.data('tasks.create', { workspace, title: 'Decided' })
    proxy.passed.length = 0
    const stranger = await client({ api_key: 'atr_live_x' })
    const refused: [() => Promise<unknown>, string][] = [
      [() => atrium.call('tasks.create', { workspace, title: '' }), 'invalid_request_body'],
      [() => atrium.call('tasks.retrieve', {}, ['tsk_01K0000000000000000000000']), 'resource_not_found'],
      [() => atrium.call('tasks.update', { title: 'x', if_match: 99 }, [id]), 'resource_conflict'],
      [() => stranger.call('me.retrieve'), 'invalid_api_key'],
    ]
    for (const [call, code] of refused) assert.equal((await failed(call(), 'ApiError')).code, code)
    proxy.faults = [switchedOff]
    assert.equal((await failed(atrium.call('me.retrieve'), 'ServerError')).code, 'endpoint_disabled')
    assert.equal(proxy.passed.length, refused.length + 1)
    assert.deepEqual(await atrium.run('retried', {}), [])
  })

  it('reports an answer that is not from the API, and retries it only if a proxy had no server', async () => {
    const atrium = await client({ max_retries: 1 })
    for (const [status, times] of [
      [200, 1],
      [404, 1],
      [500, 1],
      [302, 1],
      [502, 2],
      [503, 2],
      [504, 2],
    ] as const) {
      const answer = { status, headers: { location: 'https://example.com/' }, body: '<html>Hello</html>' }
      proxy.passed.length = 0
      proxy.faults = [answer, answer]
      const failure = await failed(atrium.call('me.retrieve'), 'UnexpectedAnswerError')
      assert.deepEqual([failure.status, failure.excerpt], [status, '<html>Hello</html>'])
      assert.equal(proxy.passed.length, times, String(status))
    }
  })

  it('ends an attempt that takes too long, and retries it', async () => {
    proxy.faults = ['silent', 'silent']
    await failed((await client({ timeout: 0.05, max_retries: 1 })).call('me.retrieve'), 'TimedOutError')
    assert.equal(proxy.passed.length, 2)
    proxy.faults = ['silent']
    assert.equal((await (await client()).call('me.retrieve', { timeout: 1 })).response.attempts, 2)
  })

  it('uses a connection again, and not one that the server has closed', async () => {
    const atrium = await client({ max_retries: 0 })
    await atrium.call('me.retrieve')
    proxy.cut()
    await atrium.call('me.retrieve')
    assert.equal(proxy.passed.length, 2)
  })

  if (flavor === 'async') {
    it('ends the connection and the wait of a canceled call', async () => {
      proxy.faults = ['silent']
      const canceled = { resource: ['me'], method: 'retrieve', after: 0.2 }
      assert.equal(await (await client()).run('cancel', canceled), true)
      proxy.faults = ['lost before', limited('50')]
      assert.equal(await (await client({ waits: true })).run('cancel', { ...canceled, after: 0.4 }), true)
    })
  }
})
