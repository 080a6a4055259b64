/** Requests that runs send: recorded before they are sent, retried by their policy, and never twice with at_most_once. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import type { AutomationAttemptRow } from '../../src/db/schema.ts'
import { attemptsOf, findRun } from '../../src/resources/automation_runs/queries.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { advance } from '../../src/resources/automation_runs/steps/advance.ts'
import { claimRun } from '../../src/resources/automation_runs/steps/claim.ts'
import { settleCall } from '../../src/resources/automation_runs/steps/outside.ts'
import { loadState } from '../../src/resources/automation_runs/steps/run-state.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment } from './graphs.ts'

onEveryWorld('an http.request step', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver?.close())
  beforeEach(() => {
    receiver.respond = answer(204)
    receiver.events.length = 0
  })

  const call = (config: object, more: object = {}) => ({
    id: 'call',
    type: 'http.request',
    config: { method: 'POST', url: receiver.url, body: { task: { $expr: 'task.id' } }, ...config },
    ...more,
  })
  const retry = { max_attempts: 3, initial_seconds: 10, backoff: 3, max_seconds: 60, jitter: 'none' }
  const drain = () => drainRuns(world.services)
  const reader = () => world.services.store.reader('system')
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body

  async function attempts(run: string): Promise<Partial<AutomationAttemptRow>[]> {
    const rows = await attemptsOf(reader(), { realm: world.acme.realms.live, id: run }, 1)
    return rows.map(({ attempt, outcome, http_status, idempotency_key }) => ({
      attempt,
      outcome,
      http_status,
      idempotency_key,
    }))
  }

  async function start(graph: object): Promise<string> {
    const flow = (await desk.activate(graph)).id
    return (await startByHand(world.services, flow, desk.task)).id
  }

  async function carryOut(graph: object): Promise<string> {
    const run = await start(graph)
    await drain()
    return run
  }

  it('sends the request of the graph with its key and keeps the answer as output', async () => {
    receiver.respond = answer(201, { 'Content-Type': 'application/json' }, '{"made":{"id":"x1"}}')
    const url = { $template: `${receiver.url}/{{ task.key }}` }
    const step = call({ url, headers: { 'X-Flow': { $expr: 'flow.name' } }, output: 'json' })
    const run = await carryOut(chain(step, comment('said', { $template: 'made {{ steps.call.output.body.made.id }}' })))
    const { status, usage } = await shown(run)
    assert.deepEqual([status, usage.http_requests], ['succeeded', 1])
    const [{ headers, event }] = receiver.events as [(typeof receiver.events)[0]]
    assert.deepEqual(event, { task: desk.task })
    assert.deepEqual(
      [
        headers['x-flow'],
        headers['idempotency-key'],
        headers['content-type'],
        headers['user-agent'],
        headers.authorization,
      ],
      ['A flow', `${run}:1`, 'application/json', 'Atrium', undefined],
    )
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}`)).body
    assert.equal(data[0].body, 'made x1')
    assert.deepEqual(await attempts(run), [
      { attempt: 1, outcome: 'succeeded', http_status: 201, idempotency_key: `${run}:1` },
    ])
  })

  it('is retried after its waits with the same key and body, and fails after the last attempt', async () => {
    receiver.respond = answer(503)
    const run = await carryOut(chain(call({ body: { at: { $expr: 'now' } } }, { retry })))
    const begun = world.clock.now()
    const waiting = await shown(run)
    assert.deepEqual([waiting.status, waiting.attempt, waiting.wake_at], ['retrying', 1, begun / 1000 + 10])
    world.clock.advance(9_999)
    assert.equal(await drain(), 0)
    world.clock.advance(1)
    await drain()
    assert.equal((await shown(run)).wake_at, begun / 1000 + 10 + 30)
    world.clock.advance(30_000)
    await drain()
    const { status, failure, steps, usage } = await shown(run)
    assert.deepEqual(
      [status, failure],
      ['failed', { code: 'http_status', message: 'The answer has the status 503.', node: 'call' }],
    )
    assert.deepEqual([steps[0].attempts, usage.http_requests], [3, 3])
    const sent = receiver.events.map(({ headers, body }) => [headers['idempotency-key'], body])
    assert.deepEqual(sent, Array(3).fill([`${run}:1`, `{"at":${begun / 1000}}`]))
    assert.deepEqual(
      (await attempts(run)).map(({ attempt, outcome }) => [attempt, outcome]),
      [
        [1, 'http_status'],
        [2, 'http_status'],
        [3, 'http_status'],
      ],
    )
  })

  it('waits as long as Retry-After asks, at most as long as its policy allows', async () => {
    receiver.respond = answer(429, { 'Retry-After': '45' })
    const run = await carryOut(chain(call({}, { retry })))
    assert.equal((await shown(run)).wake_at, world.clock.now() / 1000 + 45)
    receiver.respond = answer(429, { 'Retry-After': new Date(world.clock.now() + 45_000 + 3_600_000).toUTCString() })
    world.clock.advance(45_000)
    await drain()
    assert.equal((await shown(run)).wake_at, world.clock.now() / 1000 + 60)
    receiver.respond = answer(200)
    world.clock.advance(60_000)
    await drain()
    const { status, steps } = await shown(run)
    assert.deepEqual([status, steps[0].attempts], ['succeeded', 3])
  })

  it('is not retried for a permanent answer, and keeps it for the error branch', async () => {
    receiver.respond = answer(404, {}, 'not here')
    const graph = chain(call({ output: 'text' }, { retry, on_error: 'branch' }))
    graph.nodes.push(
      comment('sorry', {
        $template: '{{ steps.call.status }}: {{ steps.call.output.status }} {{ steps.call.output.body }}',
      }),
    )
    graph.edges.push({ source: 'call', port: 'error', target: 'sorry' })
    const run = await carryOut(graph)
    assert.deepEqual([(await shown(run)).status, receiver.events.length], ['succeeded', 1])
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}`)).body
    assert.equal(data[0].body, 'failed: 404 not here')
  })

  it('accepts exactly the statuses that the graph calls a success', async () => {
    receiver.respond = answer(409)
    const fine = await carryOut(chain(call({ success_statuses: [200, 409] })))
    assert.equal((await shown(fine)).status, 'succeeded')
    receiver.respond = answer(204)
    const wrong = await carryOut(chain(call({ success_statuses: [200, 409] })))
    assert.equal((await shown(wrong)).failure.code, 'http_status')
  })

  it('fails without a retry for an answer that is not JSON or too long', async () => {
    receiver.respond = answer(200, {}, 'fine')
    const text = await carryOut(chain(call({ output: 'json' }, { retry })))
    assert.equal((await shown(text)).failure.code, 'response_unreadable')
    receiver.respond = answer(200, {}, `"${'x'.repeat(256 * 1024)}"`)
    const long = await carryOut(chain(call({ output: 'json' }, { retry })))
    assert.equal((await shown(long)).failure.code, 'response_too_large')
    assert.equal(receiver.events.length, 2)
  })

  it('reaches no address that is not public, whatever the graph or an expression says', async () => {
    for (const url of [
      'http://10.0.0.1/',
      'https://169.254.169.254/latest',
      'http://example.com/',
      'https://box.internal/',
    ]) {
      const run = await carryOut(chain(call({ url: { $expr: `'${url}'` } }, { retry })))
      assert.equal((await shown(run)).failure?.code, 'url_refused', url)
    }
    assert.equal(receiver.events.length, 0)
  })

  it('counts an attempt whose process died, because it may have arrived, and continues with the next one', async () => {
    const run = await start(chain(call({}, { retry })))
    await dieCalling(run)
    await drain()
    assert.equal((await shown(run)).status, 'succeeded')
    assert.deepEqual(
      (await attempts(run)).map(({ attempt, outcome }) => [attempt, outcome]),
      [
        [1, 'unknown'],
        [2, 'succeeded'],
      ],
    )
    assert.equal(receiver.events.length, 1)
  })

  it('is not sent again after its process died, with at_most_once', async () => {
    const run = await start(chain(call({ delivery: 'at_most_once' }, { retry })))
    await dieCalling(run)
    await drain()
    const { status, failure } = await shown(run)
    assert.deepEqual([status, failure.code, failure.node], ['failed', 'outcome_unknown', 'call'])
    assert.deepEqual([receiver.events.length, (await attempts(run))[0]?.outcome], [0, 'unknown'])
  })

  it('with at_most_once is retried if it cannot have arrived, and never if it may have', async () => {
    receiver.respond = answer(503)
    const arrived = await carryOut(chain(call({ delivery: 'at_most_once' }, { retry })))
    assert.deepEqual([(await shown(arrived)).status, receiver.events.length], ['failed', 1])
    const unreachable = await carryOut(chain(call({ delivery: 'at_most_once', url: 'http://127.0.0.1:1/' }, { retry })))
    assert.equal((await shown(unreachable)).status, 'retrying')
  })

  /** Leaves a run like a process that has recorded an attempt; returns what it would do with the answer. */
  async function dieCalling(run: string) {
    const place = { realm: world.acme.realms.live, id: run }
    const row = await findRun(reader(), place)
    assert.ok(row)
    const held = await claimRun(world.services, row, 'a process')
    assert.ok(held)
    const made = await advance(world.services, await loadState(reader(), held))
    assert.ok(made.next === 'call')
    world.clock.advance(15_000)
    const answered = { ok: true, output: { status: 200 }, http_status: 200 } as const
    return async () => await settleCall(world.services, made.state, made.call, answered)
  }

  it('is not sent again when the answer reaches a process that has lost the run to another', async () => {
    for (const delivery of ['at_most_once', 'at_least_once']) {
      receiver.events.length = 0
      const run = await start(chain(call({ delivery }, { retry })))
      const answered = await dieCalling(run)
      const row = await findRun(reader(), { realm: world.acme.realms.live, id: run })
      assert.ok(row)
      const other = await claimRun(world.services, row, 'another process')
      assert.ok(other)
      assert.deepEqual(await answered(), { next: 'lost' })
      assert.deepEqual(
        (await attempts(run)).map(({ outcome }) => outcome),
        ['succeeded'],
      )
      world.clock.advance(15_000)
      await drain()
      const { status, failure } = await shown(run)
      const expected = delivery === 'at_most_once' ? ['failed', 'outcome_unknown', 0] : ['succeeded', undefined, 1]
      assert.deepEqual([status, failure?.code, receiver.events.length], expected)
    }
  })

  it('reports that it was in progress when its run was canceled, and its result is still recorded', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>()
    receiver.respond = (_received, response) => arrive(() => response.writeHead(200).end())
    const run = await start(chain(call({}), comment('not_any_more')))
    const drained = drain()
    const letAnswer = await arrived
    const reply = await world.post(`/v1/automation_runs/${run}/cancel`, { workspace: desk.workspace })
    assert.deepEqual(
      [reply.body.status, reply.body.failure.code, reply.body.failure.node],
      ['canceled', 'outcome_unknown', 'call'],
    )
    letAnswer()
    await drained
    const { status, steps } = await shown(run)
    assert.deepEqual([status, steps], ['canceled', []])
    assert.deepEqual(
      (await attempts(run)).map(({ outcome, http_status }) => [outcome, http_status]),
      [['succeeded', 200]],
    )
  })
})
