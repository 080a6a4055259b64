/**
 * Reruns and journals against people who may not see or do something: other organizations, narrow keys, names and bounds that a
 * correction must not get past.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { takeOver } from '../../src/resources/automation_runs/reruns/journal.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { CallOptions, Reply } from '../call.ts'
import { pageKeyOf, type Send, sendForm } from '../forms.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk, smallGraph } from './desk.ts'
import { chain, comment } from './graphs.ts'

type Body = Reply['body']

const credential = `atr_live_${'k'.repeat(36)}`

/** Files a task that describes the request. */
const intake = (when: string) => ({
  schema_version: 3,
  nodes: [
    { id: 'received', type: 'trigger.webhook', config: { headers: ['x-origin'], when } },
    {
      id: 'file',
      type: 'task.create',
      config: { set: { title: 'Filed', description: { $template: '{{ request }}' } } },
    },
  ],
  edges: [{ source: 'received', target: 'file' }],
})

const order = (...fields: readonly object[]) => ({
  schema_version: 5,
  nodes: [
    { id: 'sent', type: 'trigger.form', config: { title: 'Order', fields } },
    { id: 'file', type: 'task.create', config: { set: { title: { $template: '{{ form }}' } } } },
  ],
  edges: [{ source: 'sent', target: 'file' }],
})

onEveryWorld('reruns and journals before hostile people', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver?.close())

  const get = (run: string, part = '', options: CallOptions = {}): Promise<Reply> =>
    world.call('GET', `/v1/automation_runs/${run}${part}?workspace=${desk.workspace}`, options)
  const rerun = (run: string, body: object = {}, options: CallOptions = {}): Promise<Reply> =>
    world.call('POST', `/v1/automation_runs/${run}/rerun`, { body: { workspace: desk.workspace, ...body }, ...options })

  async function settled(reply: Reply): Promise<Body> {
    assert.equal(reply.status, 200, reply.text)
    await drainRuns(world.services)
    return (await get(reply.body.id)).body
  }

  async function ranByHand(graph: object): Promise<string> {
    const { id } = await startByHand(world.services, (await desk.activate(graph)).id, desk.task)
    await drainRuns(world.services)
    return id
  }

  async function hooked(flow: string, body: object): Promise<string> {
    const path = new URL((await world.get(`/v1/automation_flows/${flow}/hook`)).body.url).pathname
    const reply = await world.call('POST', path, { key: null, idempotencyKey: null, body })
    await drainRuns(world.services)
    return reply.body.automation_run
  }

  /** Activates another graph of a flow that was active. */
  async function change(flow: string, graph: object): Promise<void> {
    const { workspace } = desk
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace })
    const patched = await world.call('PATCH', `/v1/automation_flows/${flow}`, { body: { workspace, graph } })
    assert.equal(patched.status, 200, patched.text)
    const { preview_token } = await desk.preview(flow)
    await world.make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
  }

  const filedBy = async (run: Body): Promise<Body> => (await world.get(`/v1/tasks/${run.steps[0].changes[0].id}`)).body

  it('answer for a run of another organization, of test data or of another workspace as for none', async () => {
    const run = await ranByHand(smallGraph('Mine'))
    const none = `run_${'0'.repeat(26)}`
    const without = ({ status, text }: Reply, id: string) =>
      `${status} ${text.replaceAll(id, '').replace(/"request_id":"[^"]*"/, '')}`
    for (const key of [world.globex.key, world.acme.testKey]) {
      for (const part of ['/steps', '/reruns', '/ai_calls', '/input', '']) {
        assert.equal(without(await get(run, part, { key }), run), without(await get(none, part, { key }), none))
      }
      assert.equal(without(await rerun(run, {}, { key }), run), without(await rerun(none, {}, { key }), none))
    }
    const workspace = desk.id('elsewhere')
    const [foreign, missing] = [await rerun(run, { workspace }), await rerun(none, { workspace })]
    assert.deepEqual([foreign.status, without(foreign, run)], [404, without(missing, none)])
    assert.deepEqual((await get(run, '/reruns')).body.data, [])
  })

  it('show no content of tasks to a key that may not read them', async () => {
    await world.call('PATCH', `/v1/tasks/${desk.task}`, { body: { description: 'Only for readers of tasks' } })
    const run = await ranByHand(chain({ id: 'change', type: 'task.update', config: { set: { priority: 'high' } } }))
    assert.match((await get(run, '/steps')).text, /Only for readers of tasks/)
    const { secret: key } = await world.key({ scopes: ['automations:read'] })
    assert.equal((await world.call('GET', `/v1/tasks/${desk.task}`, { key })).status, 403)
    for (const part of ['/steps', '/ai_calls']) {
      const reply = await get(run, part, { key })
      assert.deepEqual([reply.status, reply.body.error?.code], [403, 'insufficient_scope'], reply.text)
      assert.match(reply.body.error.message, /the scope tasks:read/)
    }
    const { secret: reader } = await world.key({ scopes: ['automations:read', 'tasks:read'] })
    assert.equal((await get(run, '/steps', { key: reader })).status, 200)
  })

  it('cut credentials that are names of fields, and keep them where they are sent back', async () => {
    const { id: flow } = await desk.activate(intake('true'))
    const run = await hooked(flow, { [credential]: { token: 'hush' }, size: 1 })
    const shown = (await get(run, '/input')).body.request.body
    assert.deepEqual(shown, { 'atr_live_…': { token: '…' }, size: 1 })
    const again = await settled(await rerun(run, { request: { body: { ...shown, size: 2 } } }))
    assert.deepEqual(JSON.parse((await filedBy(again)).description).body, { [credential]: { token: 'hush' }, size: 2 })
  })

  it('give a masked value of a list only to the item that it belongs to', async () => {
    const { id: flow } = await desk.activate(intake('true'))
    const people = [
      { name: 'ada', token: 'of ada' },
      { name: 'bob', token: 'of bob' },
      { name: 'eve', token: 'of eve' },
    ]
    const run = await hooked(flow, { people })
    const [ada, bob, eve] = (await get(run, '/input')).body.request.body.people
    assert.deepEqual(bob, { name: 'bob', token: '…' })
    const body = { people: [eve, bob] }
    const again = await settled(await rerun(run, { request: { body } }))
    assert.deepEqual(JSON.parse((await filedBy(again)).description).body.people, [people[2], people[1]])
    const renamed = await settled(
      await rerun(run, { request: { body: { people: [ada, { ...bob, name: 'rob' }, eve] } } }),
    )
    assert.deepEqual(JSON.parse((await filedBy(renamed)).description).body.people[1], { name: 'rob', token: 'of bob' })
    const unclear = await rerun(run, { request: { body: { people: [{ ...bob, name: 'rob' }] } } })
    assert.deepEqual([unclear.status, unclear.body.error?.param], [400, 'request.body.people[0].token'], unclear.text)
    assert.match(unclear.body.error.message, /is masked, and the list has 1 items instead of 3/)
    const known = await rerun(run, { request: { body: { people: [{ name: 'rob', token: 'mine' }] } } })
    assert.equal((await settled(known)).status, 'succeeded')
  })

  it('take over all entries of a journal or none, also if it is being removed', async () => {
    const { id, realms } = world.acme
    const copying = world.services.store.write({ organization: id, realms: [realms.live] }, async (tx) => {
      await takeOver(tx, realms.live, `run_${'0'.repeat(26)}`, `run_${'1'.repeat(26)}`, 2)
    })
    await assert.rejects(copying, /The journal of the run was removed/)
  })

  it('judge the condition of a trigger by the version that runs again', async () => {
    const { id: flow } = await desk.activate(intake('flow.version == 1'))
    const run = await hooked(flow, { size: 1 })
    await change(flow, intake('flow.version == 2 && request.body.size == 2'))
    assert.equal((await settled(await rerun(run, { request: { body: { size: 3 } } }))).flow_version, 1)
    const active = { version: 'active', request: { body: { size: 3 } } }
    assert.equal((await rerun(run, active)).body.error.param, 'request')
  })

  it('leave a new field of a form empty, whatever it is called', async () => {
    const what = { key: 'what', label: 'What', kind: 'short_text', required: true }
    const { id: flow } = await desk.activate(order(what))
    const path = new URL((await world.get(`/v1/automation_flows/${flow}/form`)).body.url).pathname
    const send: Send = (method, to, options) => world.call(method, to, { key: null, idempotencyKey: null, ...options })
    const page = pageKeyOf(await send('GET', path))
    world.clock.advance(60_000)
    assert.equal((await sendForm(send, path, page, { what: 'Tea' })).status, 303)
    await drainRuns(world.services)
    const { body } = await world.get(`/v1/automation_runs?workspace=${desk.workspace}&automation_flow=${flow}`)
    await change(flow, order(what, { key: 'constructor', label: 'Builder', kind: 'short_text' }))
    const again = await settled(await rerun(body.data[0].id, { version: 'active' }))
    assert.deepEqual(JSON.parse((await filedBy(again)).title), { what: 'Tea', constructor: null })
  })

  it('bound the fields of a corrected query as those of a request', async () => {
    const { id: flow } = await desk.activate(intake('true'))
    const run = await hooked(flow, { size: 1 })
    const values = (count: number) => Array.from({ length: count }, () => 'x')
    const many = await rerun(run, { request: { query: { a: values(600), b: values(401) } } })
    assert.deepEqual([many.status, many.body.error?.param], [400, 'request.query'], many.text)
    assert.match(many.body.error.message, /has 1001 fields. The limit is 1000/)
    const most = await rerun(run, { request: { query: { a: values(600), b: values(400) } } })
    assert.equal(most.status, 200, most.text)
    await drainRuns(world.services)
  })

  it('show what a reused call received', async () => {
    receiver.respond = answer(200, { 'content-type': 'application/json' }, '{"ok":true}')
    const call = { id: 'call', type: 'http.request', config: { method: 'POST', url: receiver.url, body: { size: 3 } } }
    const run = await ranByHand(chain(call, comment('say')))
    const [first] = (await get(run, '/steps')).body.steps
    assert.deepEqual(JSON.parse(first.input).body, { size: 3 })
    const sent = receiver.events.length
    const again = await settled(await rerun(run, { from_step: 'say' }))
    const [reused] = (await get(again.id, '/steps')).body.steps
    assert.deepEqual([reused.input, reused.output, reused.attempts], [first.input, first.output, []])
    assert.equal(receiver.events.length, sent)
  })

  it('answer a repeated request as the first time, also after the flow was paused', async () => {
    const run = await ranByHand(smallGraph('Again'))
    const { automation_flow: flow } = (await get(run)).body
    const options = { idempotencyKey: 'rerun-replayed' }
    const [first, second] = await Promise.all([rerun(run, {}, options), rerun(run, {}, options)])
    const accepted = [first, second].filter(({ status }) => status === 200)
    assert.ok(accepted.length >= 1, second.text)
    await drainRuns(world.services)
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    assert.equal((await rerun(run, {}, options)).body.id, accepted[0]?.body.id)
    assert.equal((await get(run, '/reruns')).body.data.length, 1)
    assert.equal((await rerun(run)).status, 409)
  })

  it('skip a rerun that waits when its flow is paused', async () => {
    const run = await ranByHand(smallGraph('Later'))
    const { automation_flow: flow } = (await get(run)).body
    const { id } = (await rerun(run)).body
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    await drainRuns(world.services)
    const { status, status_reason } = (await get(id)).body
    assert.deepEqual([status, status_reason], ['skipped', 'flow_paused'])
    assert.equal((await rerun(id)).status, 409)
  })

  it('take part in the hourly limit of the flow, however they are chained', async () => {
    let run = await ranByHand({ ...smallGraph('Often'), settings: { max_runs_per_hour: 3 } })
    const reasons: string[] = []
    for (let i = 0; i < 3; i++) {
      const again = await settled(await rerun(run))
      reasons.push(again.status_reason ?? again.status)
      if (again.status === 'succeeded') run = again.id
    }
    assert.deepEqual(reasons, ['succeeded', 'succeeded', 'hourly_limit'])
  })
})
