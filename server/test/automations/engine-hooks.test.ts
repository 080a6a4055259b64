/**
 * Incoming webhooks: a request starts one run, whose steps see what was sent. Refused requests get answers that reveal
 * nothing about the address, and bounds hold before anything is written.
 */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { after, before, it } from 'node:test'
import { automation_limits } from '../../src/automations/limits.ts'
import { query } from '../../src/db/query.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { signatureHeaders } from '../../src/resources/webhook_endpoints/signature.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { CallOptions, Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'

const signing_secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

const everything = (table: 'automation_hook_requests' | 'request_logs' | 'audit_entries' | 'events' | 'idempotency') =>
  query<object>((db) => db.selectFrom(table as 'events').selectAll())

const runsOf = query<{ id: string; status: string }, { flow: string }>((db, p) =>
  db.selectFrom('automation_runs').select(['id', 'status']).where('automation_flow', '=', p('flow')).orderBy('id'),
)

/** Files a task with the title from the body, and says what else the request held. */
function intake(config: object = {}, title = 'request.body.title') {
  return {
    schema_version: 3,
    nodes: [
      { id: 'received', type: 'trigger.webhook', config },
      {
        id: 'file',
        type: 'task.create',
        config: { set: { title: { $expr: title }, description: { $template: '{{ request }}' } } },
      },
    ],
    edges: [{ source: 'received', target: 'file' }],
  }
}

onEveryEngine('an incoming webhook', (engine) => {
  let world: World
  let desk: Desk

  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
    await writeSecret(world.services, {
      ...{ organization: world.acme.id, mode: 'live' as const },
      ...{ name: 'sender', value: signing_secret },
    })
  })
  after(async () => world?.close())

  const reader = () => world.services.store.reader('system')
  const runs = async (flow: string) => await reader().all(runsOf, { flow })
  const hookOf = async (flow: string) => (await world.get(`/v1/automation_flows/${flow}/hook`)).body
  const send = (path: string, options: CallOptions = {}): Promise<Reply> =>
    world.call('POST', path, { key: null, idempotencyKey: null, ...options })

  async function opened(graph: object): Promise<{ readonly flow: string; readonly path: string }> {
    const flow = (await desk.activate(graph)).id
    return { flow, path: new URL((await hookOf(flow)).url).pathname }
  }

  /** The task that a run has filed. */
  async function filed(run: string): Promise<Reply['body']> {
    await drainRuns(world.services)
    const shown = (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
    assert.equal(shown.status, 'succeeded', JSON.stringify(shown.failure))
    return (await world.get(`/v1/tasks/${shown.steps[0].changes[0].id}`)).body
  }

  /** An answer without what differs between any two answers. */
  const bytes = ({ status, headers, text }: Reply) => {
    const id = String(headers['x-request-id'])
    const same = Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id')
    return JSON.stringify([status, same.sort(), text.replaceAll(id, 'req')])
  }

  it('starts a run whose steps see body, query and the named headers, and only those', async () => {
    const { path, flow } = await opened(intake({ headers: ['x-origin', 'x-absent'] }))
    const reply = await send(`${path}?source=shop&tag=a&tag=b`, {
      body: { title: 'A lamp is broken', constructor: { prototype: [1, 2.5, null] } },
      headers: { 'x-origin': 'Berlin', 'x-other': 'hidden' },
    })
    assert.equal(reply.status, 202)
    const [run] = await runs(flow)
    assert.deepEqual(reply.body, { object: 'automation_hook_receipt', automation_run: run?.id, status: 'accepted' })
    const task = await filed(run?.id ?? assert.fail('no run'))
    assert.equal(task.title, 'A lamp is broken')
    assert.deepEqual(JSON.parse(task.description), {
      id: null,
      body: { title: 'A lamp is broken', constructor: { prototype: [1, 2.5, null] } },
      headers: { 'x-origin': 'Berlin' },
      query: { source: 'shop', tag: ['a', 'b'] },
    })
  })

  it('shows with the run what was received, without secrets', async () => {
    const { path } = await opened(intake({ headers: ['x-signature', 'x-origin'] }))
    const reply = await send(`${path}?token=abc&tag=a&tag=b`, {
      body: { title: 'x', auth: { password: 'p', ok: true }, list: [{ api_key: 1 }], note: world.acme.key },
      headers: { 'x-signature': 's', 'x-origin': 'Berlin' },
    })
    const input = `/v1/automation_runs/${reply.body.automation_run}/input?workspace=${desk.workspace}`
    const { body } = await world.get(input)
    assert.deepEqual([body.form, body.request.headers], [null, { 'x-signature': '…', 'x-origin': 'Berlin' }])
    assert.deepEqual(body.request.query, { token: '…', tag: ['a', 'b'] })
    const { note, ...rest } = body.request.body
    assert.deepEqual(rest, { title: 'x', auth: { password: '…', ok: true }, list: [{ api_key: '…' }] })
    assert.ok(note.endsWith('…') && !note.includes(world.acme.key))
  })

  it('reads forms, and keeps a field that is sent several times as a list', async () => {
    const { path } = await opened(intake())
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    const reply = await send(path, { raw: 'title=Broken+%26+cold&who=a&who=b', headers })
    const task = await filed(reply.body.automation_run)
    assert.deepEqual(JSON.parse(task.description).body, { title: 'Broken & cold', who: ['a', 'b'] })
  })

  it('answers a repeated key as the first time, with one run, however many arrive at once', async () => {
    const { path, flow } = await opened(intake())
    for (const header of ['webhook-id', 'idempotency-key', 'x-github-delivery']) {
      const key = randomUUID()
      const replies = await Promise.all(
        Array.from({ length: 6 }, () => send(path, { body: { title: header }, headers: { [header]: key } })),
      )
      assert.equal(new Set(replies.map(bytes)).size, 1, header)
      assert.equal(replies[0]?.status, 202)
    }
    assert.equal((await runs(flow)).length, 3)
    // A new version of the flow knows the keys of the former one.
    const key = randomUUID()
    const first = await send(path, { body: { title: 'x' }, headers: { 'webhook-id': key } })
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    const { preview_token } = await desk.preview(flow)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true }
    await world.make(`/v1/automation_flows/${flow}/activate`, body)
    assert.equal(bytes(await send(path, { body: { title: 'x' }, headers: { 'webhook-id': key } })), bytes(first))
    assert.equal((await runs(flow)).length, 4)
  })

  it('takes only requests that are signed as the trigger asks, and refuses the others with the same bytes', async () => {
    const { path, flow } = await opened(intake({ secret: 'sender' }))
    const now = Math.floor(world.clock.now() / 1000)
    const text = JSON.stringify({ title: 'Signed' })
    const signed = (id: string, timestamp: number, body = text, secret = signing_secret) =>
      signatureHeaders({ id, timestamp, body }, [secret])
    const good = signed('msg_1', now)
    const fine = await send(path, { raw: text, headers: good })
    assert.equal(fine.status, 202)
    assert.equal(bytes(await send(path, { raw: text, headers: good })), bytes(fine), 'replayed')
    const rotated = {
      ...signed('msg_2', now),
      'webhook-signature': `v1,AAAA ${signed('msg_2', now)['webhook-signature']}`,
    }
    assert.equal((await send(path, { raw: text, headers: rotated as Record<string, string> })).status, 202)
    const wrong: Readonly<Record<string, string>>[] = [
      {},
      { ...good, 'webhook-id': 'msg_3' },
      { ...good, 'webhook-timestamp': String(now + 1) },
      { ...good, 'webhook-signature': '' },
      { ...good, 'webhook-signature': 'v1,' },
      { ...good, 'webhook-signature': String(good['webhook-signature']).replace('v1,', 'v2,') },
      { ...good, 'webhook-signature': `${good['webhook-signature']}=` },
      signed('msg_4', now, `${text} `),
      signed('msg_5', now, text, `whsec_${Buffer.from('another').toString('base64')}`),
      signed('msg_6', now - 301),
      signed('msg_7', now + 301),
      signed('', now),
      signed('msg_8', Number.NaN),
    ]
    const refused = await Promise.all(wrong.map((headers) => send(path, { raw: text, headers })))
    assert.deepEqual([...new Set(refused.map(({ status }) => status))], [401])
    assert.equal(new Set(refused.map(bytes)).size, 1)
    assert.equal((await runs(flow)).length, 2)
  })

  it('takes requests signed by GitHub, by whose delivery a repeated one is known', async () => {
    const { path, flow } = await opened(intake({ secret: 'sender', signature: 'github' }, 'request.body.action'))
    const raw = JSON.stringify({ action: 'opened' })
    const digest = createHmac('sha256', signing_secret).update(raw).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${digest}`, 'x-github-delivery': 'd1' }
    const first = await send(path, { raw, headers })
    assert.equal(first.status, 202)
    assert.equal(bytes(await send(path, { raw, headers })), bytes(first))
    for (const signature of [
      `sha256=${digest.replace(/.$/, (c) => (c === '0' ? '1' : '0'))}`,
      digest,
      'sha256=',
      'sha1=x',
    ])
      assert.equal((await send(path, { raw, headers: { ...headers, 'x-hub-signature-256': signature } })).status, 401)
    assert.equal((await runs(flow)).length, 1)
  })

  it('answers an unknown, paused, drafted and replaced address, and one without its trigger, with the same bytes', async () => {
    const { path, flow } = await opened(intake())
    const unknown = bytes(await send(`/v1/hooks/${'a'.repeat(43)}`, { body: {} }))
    assert.match(unknown, /^\[404,/)
    const replaced = await world.make(`/v1/automation_flows/${flow}/replace_hook`, {})
    assert.equal(bytes(await send(path, { body: { title: 'x' } })), unknown)
    const next = new URL(replaced.url).pathname
    assert.notEqual(next, path)
    assert.equal((await send(next, { body: { title: 'x' } })).status, 202)
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    assert.equal((await hookOf(flow)).is_open, false)
    assert.equal(bytes(await send(next, { body: { title: 'x' } })), unknown)
    // An edited flow is a draft.
    const changed = await world.call('PATCH', `/v1/automation_flows/${flow}`, { body: { name: 'Another name' } })
    assert.equal(changed.status, 200, changed.text)
    assert.equal(bytes(await send(next, { body: { title: 'x' } })), unknown)
    for (const other of ['a', '%00', 'a'.repeat(500), flow, `${next.split('/').at(-1)}0`])
      assert.equal(bytes(await send(`/v1/hooks/${other}`, { body: {} })), unknown, other)
    assert.equal((await runs(flow)).length, 1)
  })

  it('shows an address only to those who may manage the flow', async () => {
    const { flow } = await opened(intake())
    const own = await world.get(`/v1/automation_flows/${flow}/hook`)
    assert.match(own.body.url, /\/v1\/hooks\/[0-9A-Za-z]{43}$/)
    assert.match(String(own.headers['cache-control']), /no-store/)
    const foreign = await world.get(`/v1/automation_flows/${flow}/hook`, { key: world.globex.key })
    const missing = await world.get(`/v1/automation_flows/${flow.replace(/.$/, '0')}/hook`, { key: world.globex.key })
    assert.deepEqual([foreign.status, bytes(foreign)], [404, bytes(missing)])
    const reading = (await world.make('/v1/api_keys', { name: 'Reads', scopes: ['automations:read', 'tasks:read'] }))
      .secret
    assert.equal((await world.get(`/v1/automation_flows/${flow}/hook`, { key: reading })).status, 403)
    const none = (await desk.draft(intake())).id
    assert.equal((await world.get(`/v1/automation_flows/${none}/hook`)).status, 404)
  })

  it('refuses hostile and oversized content with a message, and writes nothing', async () => {
    const { path, flow } = await opened(intake())
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const { automation_hook_bytes_max: bytes_max, automation_hook_depth_max: depth_max } = automation_limits
    const hostile: [CallOptions, RegExp][] = [
      [{ raw: '{"__proto__": {"title": "x"}}' }, /__proto__/],
      [{ raw: '{"\\u005f_proto__": 1}' }, /__proto__/],
      [{ raw: '{"a": 1, "a": 2}' }, /twice/],
      [{ raw: '{"n": 1e999}' }, /range|large|number/i],
      [{ raw: '{"n": 9007199254740993}' }, /integer|exact/i],
      [{ raw: '{"t": "\\u0000"}' }, /U\+0000/],
      [{ raw: '{"t": "\\ud800"}' }, /surrogate/],
      [{ raw: `${'['.repeat(depth_max + 1)}${']'.repeat(depth_max + 1)}` }, /deeper than 32/],
      [{ raw: `[${'[],'.repeat(5000)}[]]` }, /more than 5000/],
      [{ raw: '{"title":' }, /malformed/],
      [{ raw: Buffer.from([0xff, 0xfe]) }, /UTF-8/],
      [{ raw: `"${'x'.repeat(bytes_max)}"` }, /over the limit of 262144 bytes/],
      [{ raw: '<a/>', headers: { 'content-type': 'text/xml' } }, /Content-Type/],
      [{ raw: '{}', headers: { 'content-encoding': 'gzip' } }, /compressed/],
      [{ raw: 'x=1&'.repeat(1001), headers: form }, /more than 1000 fields/],
      [{ raw: '__proto__=1', headers: form }, /__proto__/],
      [{ raw: 'x=%00', headers: form }, /U\+0000/],
      [{ raw: '{}', headers: { 'webhook-id': 'x'.repeat(256) } }, /webhook-id/],
    ]
    for (const [options, message] of hostile) {
      const reply = await send(path, options)
      assert.equal(reply.status, 400, `${String(options.raw).slice(0, 40)}: ${reply.text}`)
      assert.match(reply.body.error.message, message)
    }
    assert.equal((await send(`${path}?__proto__=1`, { raw: '{}' })).status, 400)
    assert.deepEqual(await runs(flow), [])
    const whole = `{"title":"${'x'.repeat(50)}","rest":"${'y'.repeat(bytes_max - 100)}"}`
    assert.equal((await send(path, { raw: whole })).status, 202)
  })

  it('counts requests per address and minute, apart from the credits of the organization', async () => {
    const { path } = await opened(intake({ when: 'false' }))
    const { automation_hook_requests_max: most } = automation_limits
    const before = (await world.get('/v1/usage')).body
    const statuses: number[] = []
    while (statuses.length < most + 5) {
      const some = await Promise.all(Array.from({ length: 25 }, () => send(path, { body: { title: 'x' } })))
      statuses.push(...some.map(({ status }) => status))
    }
    assert.equal(statuses.filter((status) => status === 202).length, most)
    assert.equal(statuses.filter((status) => status === 429).length, statuses.length - most)
    const refused = await send(path, { body: { title: 'x' } })
    assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limit_exceeded'])
    assert.ok(Number(refused.headers['retry-after']) >= 1)
    const afterwards = (await world.get('/v1/usage')).body
    // Usage itself costs one credit.
    assert.deepEqual(afterwards.plan_day.used - before.plan_day.used, 1)
    const other = await opened(intake())
    assert.equal((await send(other.path, { body: { title: 'x' } })).status, 202, 'another address')
    world.clock.set(world.clock.now() + 60_000)
    assert.equal((await send(path, { body: { title: 'x' } })).status, 202, 'the next minute')
  })

  it('starts no run if its condition is not met, and a skipped one if it cannot be evaluated', async () => {
    const { path, flow } = await opened(intake({ when: "request.body.kind == 'bug'" }))
    const other = await send(path, { body: { kind: 'idea', title: 'x' } })
    assert.deepEqual(other.body, { object: 'automation_hook_receipt', automation_run: null, status: 'skipped' })
    assert.deepEqual(await runs(flow), [])
    const broken = await send(path, { body: 7 })
    assert.equal(broken.body.status, 'skipped')
    assert.deepEqual(await runs(flow), [{ id: broken.body.automation_run, status: 'skipped' }])
    assert.equal((await send(path, { body: { kind: 'bug', title: 'x' } })).body.status, 'accepted')
  })

  it('is previewed with a sample without effect, and with the latest request by default', async () => {
    const { path, flow } = await opened(intake({ headers: ['x-a'] }))
    const preview = async (more: object) =>
      await world.call('POST', `/v1/automation_flows/${flow}/preview`, {
        body: { workspace: desk.workspace, task: desk.task, ...more },
      })
    const titleOf = ({ body }: Reply) => body.steps[0]?.changes[0]?.fields.title?.to
    const request = { body: { title: 'From a sample' }, headers: { 'x-a': '1', 'x-b': '2' }, query: { q: '1' } }
    const sampled = await preview({ request })
    assert.deepEqual([sampled.body.trigger.type, sampled.body.outcome], ['trigger.webhook', 'succeeded'])
    assert.equal(titleOf(sampled), 'From a sample')
    const { description } = sampled.body.steps[0].changes[0].fields
    assert.deepEqual(JSON.parse(description.to), { id: null, ...request, headers: { 'x-a': '1' } })
    assert.equal((await preview({})).body.outcome, 'failed', 'an empty request has no title')
    await send(path, { body: { title: 'Received' } })
    assert.equal(titleOf(await preview({})), 'Received')
    const effects = (await world.get(`/v1/automation_flows/${flow}/effects`)).body
    assert.deepEqual([effects.runs, effects.succeeded, effects.tasks_created], [1, 1, 1])
    assert.equal((await runs(flow)).length, 1)
    const manual = await desk.draft({
      schema_version: 1,
      nodes: [
        { id: 'by_hand', type: 'trigger.manual', config: {} },
        { id: 'done', type: 'task.complete', config: {} },
      ],
      edges: [{ source: 'by_hand', target: 'done' }],
    })
    const refused = await world.call('POST', `/v1/automation_flows/${manual.id}/preview`, {
      body: { workspace: desk.workspace, task: desk.task, request },
    })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'request'])
  })

  it('works in test mode with the data of test mode', async () => {
    const key = world.acme.testKey
    const workspace = (await world.make('/v1/workspaces', { title: 'Trial' }, { key })).id
    const task = (await world.make('/v1/tasks', { workspace, title: 'Any' }, { key })).id
    const body = { workspace, name: 'Take', graph: intake() }
    const flow = (await world.make('/v1/automation_flows', body, { key })).id
    const { preview_token } = await world.make(`/v1/automation_flows/${flow}/preview`, { workspace, task }, { key })
    await world.make(
      `/v1/automation_flows/${flow}/activate`,
      { workspace, preview_token, scope_acknowledged: true },
      { key },
    )
    const { url } = (await world.get(`/v1/automation_flows/${flow}/hook`, { key })).body
    const reply = await send(new URL(url).pathname, { body: { title: 'Only a test' } })
    await drainRuns(world.services)
    const run = `/v1/automation_runs/${reply.body.automation_run}?workspace=${workspace}`
    assert.equal((await world.get(run, { key })).body.status, 'succeeded')
    assert.equal((await world.get(run)).status, 404)
  })

  it('keeps the secret of an address out of events, audit, request log and stored answers', async () => {
    const { path, flow } = await opened(intake())
    const secret = String(path.split('/').at(-1))
    const sent = await send(path, { body: { title: 'x' } })
    await world.call('GET', path, { key: world.acme.key })
    const replaced = await world.make(`/v1/automation_flows/${flow}/replace_hook`, {})
    const request = String(sent.headers['x-request-id'])
    const log = (await world.get(`/v1/request_logs/${request}`)).body
    assert.deepEqual([log.path, log.status, log.owner], ['/v1/hooks/{secret}', 202, { type: 'automation', id: flow }])
    for (const table of ['events', 'audit_entries', 'automation_hook_requests', 'idempotency'] as const) {
      const rows = JSON.stringify(await reader().all(everything(table), {}))
      assert.ok(!rows.includes(secret) && !rows.includes(replaced.secret), table)
    }
    const logs = JSON.stringify((await world.get('/v1/request_logs?limit=100')).body)
    assert.ok(!logs.includes(secret) && !logs.includes(replaced.secret))
  })
})
