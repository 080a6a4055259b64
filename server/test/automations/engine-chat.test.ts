/** Posts of chat.post steps: to the URL of a secret, escaped, under one key over all attempts, and never to an inner address. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { query } from '../../src/db/query.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { type Chain, chain } from './graphs.ts'

const everything = (
  table: 'automation_runs' | 'automation_steps' | 'automation_attempts' | 'events' | 'audit_entries',
) => query<object>((db) => db.selectFrom(table as 'events').selectAll())

/** Inner addresses in several notations, and URLs that are refused for their form. */
const refused = [
  'http://10.0.0.1/services/T0',
  'http://10.0.0.1.:8080/services/T0',
  'https://192.168.1.1/services/T0',
  'https://167772161/services/T0',
  'https://0x0a.1/services/T0',
  'https://012.0.0.1/services/T0',
  'https://[::1]/services/T0',
  'https://[::ffff:169.254.169.254]/services/T0',
  'https://169.254.169.254/latest/meta-data',
  'https://router.lan/services/T0',
  'https://metadata.google.internal/services/T0',
  'https://box.corp/services/T0',
  'https://chat.dev:22/services/T0',
  'http://chat.dev/services/T0',
  'https://user:word@chat.dev/services/T0',
  'https://chat.dev/services/T0#part',
  'ftp://chat.dev/services/T0',
  'services/T0',
]

onEveryWorld('a chat.post step', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
    await keep('team_chat', `${receiver.url}/services/T0/very-secret-path`)
  })
  after(() => receiver?.close())
  beforeEach(() => {
    receiver.respond = answer(200, {}, 'ok')
    receiver.events.length = 0
  })

  const keep = (name: string, value: string) =>
    writeSecret(world.services, { organization: world.acme.id, mode: 'live', name, value })
  const post = (config: object = {}, more: object = {}) => ({
    id: 'post',
    type: 'chat.post',
    config: { secret: 'team_chat', text: 'Hello', ...config },
    ...more,
  })
  const said = (...steps: readonly object[]) => ({ ...chain(...(steps as Chain['nodes'])), schema_version: 2 })
  const drain = () => drainRuns(world.services)
  const reader = () => world.services.store.reader('system')
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body

  async function carryOut(graph: object): Promise<string> {
    const flow = (await desk.activate(graph)).id
    const run = (await startByHand(world.services, flow, desk.task)).id
    await drain()
    return run
  }

  it('posts its text as JSON to the URL of the secret, and keeps only the status of the answer', async () => {
    const run = await carryOut(said(post({ text: { $template: 'New: {{ task.title }}' } })))
    const { status, usage, steps } = await shown(run)
    assert.deepEqual([status, usage.http_requests, steps[0].attempts], ['succeeded', 1, 1])
    const { title } = (await world.get(`/v1/tasks/${desk.task}`)).body
    const [sent] = receiver.events
    assert.deepEqual(sent?.event, { text: `New: ${title}` })
    assert.deepEqual(
      [sent?.headers['content-type'], sent?.headers['idempotency-key'], sent?.headers.authorization],
      ['application/json', `${run}:1`, undefined],
    )
  })

  it('posts what a text contains as text: no mention of a channel, no link, the name in place of a mention', async () => {
    const task = (await world.make('/v1/tasks', { workspace: desk.workspace, title: '<!channel> A & B <https://x|y>' }))
      .id
    const flow = (
      await desk.activate(
        said(post({ text: { $template: '{{ task.title }} [@Ada](atrium:usr_01K1QX6V0000000000000000AA)' } })),
      )
    ).id
    await startByHand(world.services, flow, task)
    await drain()
    assert.deepEqual(receiver.events[0]?.event, {
      text: '&lt;!channel&gt; A &amp; B &lt;https://x|y&gt; @Ada',
    })
  })

  it('shows the URL of the secret nowhere, even if the answer repeats it', async () => {
    receiver.respond = answer(403, {}, 'no: /services/T0/very-secret-path')
    const run = await carryOut(said(post()))
    const { status, failure } = await shown(run)
    assert.deepEqual([status, failure.message], ['failed', 'The answer has the status 403.'])
    for (const table of [
      'automation_runs',
      'automation_steps',
      'automation_attempts',
      'events',
      'audit_entries',
    ] as const) {
      assert.equal(JSON.stringify(await reader().all(everything(table))).includes('very-secret'), false, table)
    }
  })

  it('is retried with the same bytes under the same key, and waits as long as the chat asks', async () => {
    const retry = { max_attempts: 3, initial_seconds: 10, backoff: 3, max_seconds: 60, jitter: 'none' }
    receiver.respond = answer(429, { 'Retry-After': '45' })
    const run = await carryOut(said(post({ text: { $template: 'At {{ now }}' } }, { retry })))
    assert.equal((await shown(run)).wake_at, world.clock.now() / 1000 + 45)
    receiver.respond = answer(200)
    world.clock.advance(45_000)
    await drain()
    assert.equal((await shown(run)).status, 'succeeded')
    const [first, second] = receiver.events.map(({ headers, body }) => [headers['idempotency-key'], body])
    assert.deepEqual(first, second)
    assert.equal(first?.[0], `${run}:1`)
  })

  it('with at_most_once is not posted again after an answer that may hide a post', async () => {
    receiver.respond = answer(503)
    const run = await carryOut(said(post({ delivery: 'at_most_once' })))
    assert.deepEqual([(await shown(run)).status, receiver.events.length], ['failed', 1])
  })

  it('reaches no address that is not public, and does not show the address', async () => {
    await keep('inner', refused[0] as string)
    const settings = { pause_after_failures: 100 }
    const flow = (await desk.activate({ ...said(post({ secret: 'inner' })), settings })).id
    for (const url of refused) {
      await keep('inner', url)
      const run = (await startByHand(world.services, flow, desk.task)).id
      await drain()
      const { failure } = await shown(run)
      assert.equal(failure?.code, 'url_refused', url)
      assert.equal(failure.message.includes('T0'), false, url)
    }
    assert.equal(receiver.events.length, 0)
  })

  it('is the only step that uses the URL of a chat: another one does not send it to its own host', async () => {
    const config = { method: 'POST', url: `${receiver.url}/mine`, secret: 'team_chat' }
    const run = await carryOut(said({ id: 'take', type: 'http.request', config }))
    assert.deepEqual([(await shown(run)).failure.code, receiver.events.length], ['secret_refused', 0])
  })

  it('fails without a post if its text is computed to be empty', async () => {
    const run = await carryOut(said(post({ text: { $expr: "task.description == null ? '' : 'x'" } })))
    assert.deepEqual([(await shown(run)).failure.code, receiver.events.length], ['wrong_type', 0])
  })

  it('requires a secret that exists, and is only described in a preview', async () => {
    const { id } = await desk.draft(said(post({ text: { $template: 'Hello {{ task.key }}' } })))
    const { key } = (await world.get(`/v1/tasks/${desk.task}`)).body
    const [step] = (await desk.preview(id)).steps
    assert.deepEqual(
      [step.status, step.reason, receiver.events.length],
      ['would_run', `Would post to the chat of the secret team_chat: "Hello ${key}"`, 0],
    )
    const graph = said(post({ secret: 'none_such' }))
    const reply = await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Chat', graph })
    assert.deepEqual([reply.status, reply.body.error.param], [400, 'graph.nodes[1].config.secret'])
  })
})
