/** Retries, against a real server behind a proxy that injects faults. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { onOneEngine } from '../../../server/test/engines.ts'
import { worldOf } from '../../../server/test/world.ts'
import {
  ApiError,
  Atrium,
  type AtriumOptions,
  ConnectionError,
  RateLimitError,
  type Retry,
  TimeoutError,
  UnexpectedAnswerError,
} from '../src/index.ts'
import { type Fault, type FlakyProxy, openProxy } from './proxy.ts'

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

onOneEngine('the SDK, when requests fail,', (engine) => {
  const world = worldOf(engine)
  let proxy: FlakyProxy
  let workspace: string
  const retries: Retry[] = []
  before(async () => {
    proxy = await openProxy(() => world.server.url)
    workspace = (await world.make('/v1/workspaces', { title: 'Retries' })).id
  })
  beforeEach(() => {
    proxy.faults = []
    proxy.passed.length = 0
    retries.length = 0
  })
  after(() => proxy.close())

  const client = (options: Partial<AtriumOptions> = {}) =>
    new Atrium({
      apiKey: world.acme.key,
      baseUrl: proxy.url,
      sleep: async (_ms, signal) => signal?.throwIfAborted(),
      onRetry: (retry) => retries.push(retry),
      ...options,
    })
  const titled = async (title: string) =>
    (await world.get(`/v1/tasks?limit=100&filter=${encodeURIComponent(`title = "${title}"`)}`)).body.data
  const keys = () => proxy.passed.map(({ headers }) => headers['idempotency-key'])
  const waits = () => retries.map(({ wait }) => wait)

  it('retries a write with one key through every transient failure, and it happens once', async () => {
    proxy.faults = ['lost before', 'lost after', 'half', inProgress, limited('7'), unavailable, badGateway]
    await world.markWritten()
    const call = client({ maxRetries: 7 }).tasks.create({ workspace, title: 'Once' })
    const { data, response } = await call.withResponse()
    assert.deepEqual(await titled('Once'), [data])
    assert.equal(proxy.passed.length, 8)
    assert.deepEqual([...new Set(keys())], [keys()[0]])
    assert.match(String(keys()[0]), /^[0-9a-f-]{36}$/)
    assert.deepEqual([...new Set(proxy.passed.map(({ body }) => body))], [JSON.stringify({ workspace, title: 'Once' })])
    assert.deepEqual([response.attempts, response.replayed, response.status], [8, true, 200])
    await world.assertWritten({ events: ['workflow.task.created'], audit: ['tasks.create'] })
  })

  it('gives each call its own key, and uses a given one', async () => {
    const atrium = client()
    const make = (idempotencyKey?: string) => atrium.tasks.create({ workspace, title: 'Keyed' }, { idempotencyKey })
    const [first, second] = [await make(), await make()]
    const [third, again] = [await make('mine'), await make('mine')]
    assert.equal(new Set(keys()).size, 3)
    assert.deepEqual(keys().slice(2), ['mine', 'mine'])
    assert.notEqual(first.id, second.id)
    assert.deepEqual(again, third)
    assert.equal((await titled('Keyed')).length, 3)
  })

  it('waits for Retry-After plus a random time, otherwise a time that doubles', async () => {
    proxy.faults = [limited('7'), 'lost before', 'lost before', 'lost before']
    await client().me.retrieve()
    const [asked, ...others] = waits() as [number, number, number, number]
    assert.ok(asked >= 7000 && asked <= 7500, String(asked))
    for (const [i, wait] of others.entries()) {
      const whole = 500 * 2 ** (i + 1)
      assert.ok(wait >= whole / 2 && wait <= whole, `${wait} of ${whole}`)
    }
    assert.deepEqual(
      retries.map(({ attempt, method, path }) => `${attempt} ${method} ${path}`),
      ['1 GET /v1/me', '2 GET /v1/me', '3 GET /v1/me', '4 GET /v1/me'],
    )
  })

  it('gives up after the maximum number of attempts', async () => {
    proxy.faults = ['lost before', 'lost before', 'lost before']
    await assert.rejects(client({ maxRetries: 1 }).me.retrieve(), ConnectionError)
    assert.equal(proxy.passed.length, 2)
    await assert.rejects(client().me.retrieve({}, { maxRetries: 0 }), ConnectionError)
    assert.equal(proxy.passed.length, 3)
  })

  it('rejects at once if Retry-After exceeds the limit, and shows it', async () => {
    proxy.faults = [limited('61')]
    await assert.rejects(client().me.retrieve(), (error) => {
      assert.ok(error instanceof RateLimitError)
      assert.deepEqual([error.response.retryAfter, error.code], [61, 'rate_limit_exceeded'])
      return true
    })
    assert.equal(proxy.passed.length, 1)
    proxy.faults = [limited('61')]
    await client({ maxRetryAfter: 100 }).me.retrieve()
    assert.equal(proxy.passed.length, 3)
  })

  it('does not retry decisions of the server: invalid input, missing objects, conflicts, disabled operations', async () => {
    const atrium = client()
    const { id } = await atrium.tasks.create({ workspace, title: 'Decided' })
    proxy.passed.length = 0
    const refused: [() => PromiseLike<unknown>, string][] = [
      [() => atrium.tasks.create({ workspace, title: '' }), 'invalid_request_body'],
      [() => atrium.tasks.retrieve('tsk_01K0000000000000000000000'), 'resource_not_found'],
      [() => atrium.tasks.update(id, { title: 'x' }, { ifMatch: 99 }), 'resource_conflict'],
      [() => new Atrium({ apiKey: 'atr_live_x', baseUrl: proxy.url }).me.retrieve(), 'invalid_api_key'],
    ]
    for (const [call, code] of refused) await assertRefused(call, code)
    proxy.faults = [switchedOff]
    await assertRefused(() => atrium.me.retrieve(), 'endpoint_disabled')
    assert.equal(proxy.passed.length, refused.length + 1)
    assert.deepEqual(retries, [])
  })

  it('reports an answer that is not from the API, and retries it only if a proxy had no server', async () => {
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
      await assert.rejects(client({ maxRetries: 1 }).me.retrieve(), (error) => {
        assert.ok(error instanceof UnexpectedAnswerError, String(error))
        assert.deepEqual([error.response.status, error.excerpt], [status, '<html>Hello</html>'])
        return true
      })
      assert.equal(proxy.passed.length, times, String(status))
    }
  })

  it('aborts and retries an attempt that takes too long', async () => {
    proxy.faults = ['silent', 'silent']
    await assert.rejects(client({ timeout: 50, maxRetries: 1 }).me.retrieve(), TimeoutError)
    proxy.faults = ['silent']
    const { response } = await client().me.retrieve({}, { timeout: 1000 }).withResponse()
    assert.equal(response.attempts, 2)
  })

  it('rejects an aborted call with the signal’s reason: before, during and between attempts', async () => {
    const reason = new Error('enough')
    const before = client().me.retrieve({}, { signal: AbortSignal.abort(reason) })
    await assert.rejects(before, reason)
    assert.equal(proxy.passed.length, 0)
    proxy.faults = ['silent']
    const running = new AbortController()
    const call = client().me.retrieve({}, { signal: running.signal })
    await arrived(1)
    running.abort(reason)
    await assert.rejects(call, reason)
    proxy.faults = ['lost before']
    const waiting = new AbortController()
    const waits = client({ sleep: undefined, onRetry: () => waiting.abort(reason) })
    await assert.rejects(waits.me.retrieve({}, { signal: waiting.signal }), reason)
    assert.equal(proxy.passed.length, 2)
  })

  async function arrived(count: number): Promise<void> {
    while (proxy.passed.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
})

async function assertRefused(call: () => PromiseLike<unknown>, code: string): Promise<void> {
  await assert.rejects(Promise.resolve(call()), (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, code)
    return true
  })
}
