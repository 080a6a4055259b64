/**
 * Reruns: a run that has ended runs again as a new run, from its start or from a step on. Steps that are taken over have no second
 * effect, and a corrected input passes the checks of the trigger.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { CallOptions, Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { pageKeyOf, type Send, sendForm } from '../forms.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk, smallGraph } from './desk.ts'

type Body = Reply['body']

/** Comments, creates a task, and comments on it; the last step fails if the created task is missing. */
const chain = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'each', type: 'for_each', config: { items: { $expr: '["a", "b"]' }, max_items: 5 } },
    { id: 'say', type: 'task.comment', parent: 'each', config: { body: { $template: 'Item {{ item }}' } } },
    { id: 'is_urgent', type: 'condition', config: { expr: 'task.priority == "urgent"' } },
    { id: 'alarm', type: 'task.comment', config: { body: 'Alarm' } },
    { id: 'make', type: 'task.create', config: { set: { title: 'Made' } } },
    {
      id: 'tell',
      type: 'task.comment',
      config: { task: { $expr: 'steps.make.output.task.id' }, body: 'Told' },
    },
  ],
  edges: [
    { source: 'by_hand', target: 'each' },
    { source: 'each', target: 'is_urgent' },
    { source: 'is_urgent', target: 'alarm' },
    { source: 'is_urgent', port: 'false', target: 'make' },
    { source: 'make', target: 'tell' },
  ],
}

/** Files a task with the title of the body, unless it is empty. */
const intake = {
  schema_version: 3,
  nodes: [
    {
      id: 'received',
      type: 'trigger.webhook',
      config: { headers: ['x-origin'], when: 'request.body.title != ""' },
    },
    {
      id: 'file',
      type: 'task.create',
      config: { set: { title: { $expr: 'request.body.title' }, description: { $template: '{{ request }}' } } },
    },
  ],
  edges: [{ source: 'received', target: 'file' }],
}

const form = {
  schema_version: 5,
  nodes: [
    {
      id: 'sent',
      type: 'trigger.form',
      config: {
        title: 'Order',
        fields: [
          { key: 'what', label: 'What', kind: 'short_text', required: true },
          { key: 'share', label: 'Share', kind: 'number' },
        ],
      },
    },
    { id: 'file', type: 'task.create', config: { set: { title: { $template: '{{ form.what }} {{ form.share }}' } } } },
  ],
  edges: [{ source: 'sent', target: 'file' }],
}

onEveryEngine('running an automation run again', (engine) => {
  let world: World
  let desk: Desk

  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
  })
  after(async () => world?.close())

  const shown = async (run: string): Promise<Body> =>
    (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
  const rerun = (run: string, body: object = {}, options: CallOptions = {}): Promise<Reply> =>
    world.call('POST', `/v1/automation_runs/${run}/rerun`, { body: { workspace: desk.workspace, ...body }, ...options })
  const commentsOf = async (task: string): Promise<string[]> =>
    (await world.get(`/v1/tasks/${task}/comments`)).body.data.map(({ body }: Body) => body).reverse()
  const freshTask = async () =>
    (await world.make('/v1/tasks', { workspace: desk.workspace, project: desk.project, title: 'Subject' })).id as string

  async function settledRun(reply: Reply): Promise<Body> {
    assert.equal(reply.status, 200, reply.text)
    await drainRuns(world.services)
    return await shown(reply.body.id)
  }

  async function ranByHand(flow: string, task: string): Promise<Body> {
    const { id } = await startByHand(world.services, flow, task)
    await drainRuns(world.services)
    return await shown(id)
  }

  function refused(reply: Reply, status: number, param: string | null, text: RegExp): void {
    assert.deepEqual([reply.status, reply.body.error?.param ?? null], [status, param], reply.text)
    assert.match(reply.body.error.message, text)
  }

  it('repeats it from the start as a new run that names it, in one transaction', async () => {
    const task = await freshTask()
    const { id: flow } = await desk.activate(smallGraph('Hello'))
    const run = await ranByHand(flow, task)
    assert.deepEqual([run.status, run.rerun_of, run.rerun_from], ['succeeded', null, null])
    await world.markWritten()
    const reply = await rerun(run.id)
    await world.assertWritten({ events: ['automation.run.queued'], audit: ['automation_runs.rerun'] })
    const again = await settledRun(reply)
    assert.deepEqual(
      [again.status, again.rerun_of, again.rerun_from, again.task, again.flow_version],
      ['succeeded', run.id, null, task, 1],
    )
    assert.deepEqual(await commentsOf(task), ['Hello', 'Hello'])
    const { body } = await world.get(`/v1/automation_runs/${run.id}/reruns?workspace=${desk.workspace}`)
    assert.deepEqual([body.data.map(({ id }: Body) => id), body.has_more], [[again.id], false])
  })

  it('starts one run for an idempotency key', async () => {
    const task = await freshTask()
    const run = await ranByHand((await desk.activate(smallGraph('Once'))).id, task)
    const [first, second] = [
      await rerun(run.id, {}, { idempotencyKey: 'rerun-once' }),
      await rerun(run.id, {}, { idempotencyKey: 'rerun-once' }),
    ]
    assert.equal(second.body.id, first.body.id)
    await drainRuns(world.services)
    assert.deepEqual(await commentsOf(task), ['Once', 'Once'])
  })

  it('takes over the steps before a step without a second effect', async () => {
    const task = await freshTask()
    const run = await ranByHand((await desk.activate(chain)).id, task)
    assert.equal(run.status, 'succeeded', JSON.stringify(run.failure))
    const made = run.steps.find(({ node }: Body) => node === 'make').changes[0].id
    const again = await settledRun(await rerun(run.id, { from_step: 'tell' }))
    assert.equal(again.status, 'succeeded', JSON.stringify(again.failure))
    assert.deepEqual([again.rerun_of, again.rerun_from], [run.id, 'tell'])
    assert.deepEqual(await commentsOf(task), ['Item a', 'Item b'])
    assert.deepEqual(await commentsOf(made), ['Told', 'Told'])
    const steps = again.steps.map(({ node, status, reused, attempts, changes }: Body) => [
      ...[node, status, reused, attempts, changes.length],
    ])
    assert.deepEqual(steps, [
      ['each', 'succeeded', true, 0, 0],
      ['say', 'succeeded', true, 0, 0],
      ['say', 'succeeded', true, 0, 0],
      ['is_urgent', 'succeeded', true, 0, 0],
      ['alarm', 'skipped', true, 0, 0],
      ['make', 'succeeded', true, 0, 0],
      ['tell', 'succeeded', false, 1, 1],
    ])
    assert.deepEqual(
      again.steps.slice(0, 6).map(({ started_at }: Body) => started_at),
      run.steps.slice(0, 6).map(({ started_at }: Body) => started_at),
    )
    const third = await settledRun(await rerun(again.id, { from_step: 'tell' }))
    assert.deepEqual([third.status, third.rerun_of], ['succeeded', again.id])
    assert.deepEqual(await commentsOf(task), ['Item a', 'Item b'])
  })

  it('starts from the step during which a run was canceled, and from one that failed', async () => {
    const task = await freshTask()
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body: 'Before' } },
      { id: 'wait', type: 'delay', config: { seconds: 3600 } },
      { id: 'end', type: 'stop', config: { outcome: 'failed', message: 'By design' } },
    ]
    const edges = [
      { source: 'by_hand', target: 'say' },
      { source: 'say', target: 'wait' },
      { source: 'wait', target: 'end' },
    ]
    const run = await ranByHand((await desk.activate({ schema_version: 1, nodes, edges })).id, task)
    assert.equal(run.status, 'sleeping')
    refused(await rerun(run.id), 409, null, /has not ended: it is sleeping/)
    await world.make(`/v1/automation_runs/${run.id}/cancel`, { workspace: desk.workspace })
    refused(await rerun(run.id, { from_step: 'end' }), 400, 'from_step', /did not reach "end"/)
    const again = await settledRun(await rerun(run.id, { from_step: 'wait' }))
    assert.equal(again.status, 'sleeping')
    world.clock.advance(3_600_000)
    await drainRuns(world.services)
    const failed = await shown(again.id)
    assert.equal(failed.status, 'failed')
    const last = await settledRun(await rerun(again.id, { from_step: 'end' }))
    assert.deepEqual([last.status, last.failure.message], ['failed', 'By design'])
    assert.deepEqual(await commentsOf(task), ['Before'])
  })

  it('refuses steps of loops, skipped and unknown steps, and corrections together with a step', async () => {
    const run = await ranByHand((await desk.activate(chain)).id, await freshTask())
    refused(await rerun(run.id, { from_step: 'say' }), 400, 'from_step', /"say" is in the body of a loop.*"each"/)
    refused(await rerun(run.id, { from_step: 'alarm' }), 400, 'from_step', /"alarm" was skipped/)
    refused(await rerun(run.id, { from_step: 'by_hand' }), 400, 'from_step', /"by_hand" names no step/)
    refused(
      await rerun(run.id, { from_step: 'tell', task: desk.task }),
      400,
      'task',
      /`task` cannot be sent with from_step/,
    )
    refused(
      await rerun(run.id, { form: { what: 'x' } }),
      400,
      'form',
      /`form` cannot be sent for a run of trigger.manual/,
    )
  })

  it('keeps the version that ran unless the active one is asked for', async () => {
    const task = await freshTask()
    const { id: flow } = await desk.activate(smallGraph('Old'))
    const run = await ranByHand(flow, task)
    const { workspace } = desk
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace })
    refused(await rerun(run.id), 409, null, /The flow is not active/)
    const patched = await world.call('PATCH', `/v1/automation_flows/${flow}`, {
      body: { workspace, graph: smallGraph('New') },
    })
    assert.equal(patched.status, 200, patched.text)
    const { preview_token } = await desk.preview(flow)
    await world.make(`/v1/automation_flows/${flow}/activate`, { workspace, preview_token, scope_acknowledged: true })
    assert.equal((await settledRun(await rerun(run.id))).flow_version, 1)
    assert.equal((await settledRun(await rerun(run.id, { version: 'active' }))).flow_version, 2)
    assert.deepEqual(await commentsOf(task), ['Old', 'Old', 'New'])
    refused(await rerun(run.id, { version: 'active', from_step: 'say' }), 400, 'version', /needs version 1/)
  })

  it('stays in shadow mode', async () => {
    const task = await freshTask()
    const run = await ranByHand((await desk.activate(smallGraph('Shadow'), { mode: 'shadow' })).id, task)
    const again = await settledRun(await rerun(run.id))
    assert.deepEqual([again.mode, again.status, await commentsOf(task)], ['shadow', 'succeeded', []])
  })

  it('needs all scopes of the version, and takes another task by hand only', async () => {
    const task = await freshTask()
    const run = await ranByHand((await desk.activate(smallGraph('Rights'))).id, task)
    const { secret } = await world.make('/v1/api_keys', {
      name: 'Narrow',
      scopes: ['automations:read', 'automations:write', 'tasks:read'],
    })
    refused(await rerun(run.id, {}, { key: secret }), 403, null, /the scope comments:write/)
    const other = await freshTask()
    assert.equal((await settledRun(await rerun(run.id, { task: other }))).task, other)
    assert.deepEqual([await commentsOf(task), await commentsOf(other)], [['Rights'], ['Rights']])
    refused(await rerun(run.id, { task: 'tsk_unknown' }), 400, 'task', /"tsk_unknown"/)
  })

  it('corrects what a webhook received, as the trigger checks it, and keeps masked values', async () => {
    const { id: flow } = await desk.activate(intake)
    const path = new URL((await world.get(`/v1/automation_flows/${flow}/hook`)).body.url).pathname
    const sent = { title: 'Lamp', login: { password: 'Geheim-1', user: 'ada' } }
    const key = 'delivery-1'
    const hook = async () =>
      await world.call('POST', path, {
        ...{ key: null, idempotencyKey: null, body: sent },
        headers: { 'x-origin': 'Berlin', 'webhook-id': key },
      })
    const first = (await hook()).body.automation_run
    await drainRuns(world.services)
    const { request } = (await world.get(`/v1/automation_runs/${first}/input?workspace=${desk.workspace}`)).body
    assert.equal(request.body.login.password, '…')
    const corrected = { ...request.body, title: 'Lantern' }
    const again = await settledRun(await rerun(first, { request: { body: corrected } }))
    const task = (await world.get(`/v1/tasks/${again.steps[0].changes[0].id}`)).body
    assert.equal(task.title, 'Lantern')
    const seen = JSON.parse(task.description)
    assert.deepEqual([seen.body, seen.headers, seen.id], [{ ...sent, title: 'Lantern' }, { 'x-origin': 'Berlin' }, key])
    // A repeated delivery still finds the run that the first one started.
    assert.equal((await hook()).body.automation_run, first)
    const empty = { request: { body: { title: '' } } }
    refused(await rerun(first, empty), 400, 'request', /condition of the trigger is not met/)
    const header = { request: { headers: { 'x-other': 'x' } } }
    refused(await rerun(first, header), 400, 'request.headers.x-other', /Use x-origin/)
    const long = { request: { body: { title: 'x'.repeat(300_000) } } }
    refused(await rerun(first, long), 400, 'request.body', /The limit is 262144/)
  })

  it('runs a form again with the answers that it had, and with corrected ones', async () => {
    const { id: flow } = await desk.activate(form)
    const path = new URL((await world.get(`/v1/automation_flows/${flow}/form`)).body.url).pathname
    const send: Send = (method, to, options) => world.call(method, to, { key: null, idempotencyKey: null, ...options })
    const page = pageKeyOf(await send('GET', path))
    world.clock.set(world.clock.now() + 60_000)
    assert.equal((await sendForm(send, path, page, { what: 'Sugar', share: '0.0000001' })).status, 303)
    await drainRuns(world.services)
    const found = await world.get(`/v1/automation_runs?workspace=${desk.workspace}&automation_flow=${flow}`)
    const runForm = found.body.data[0].id as string
    const again = await settledRun(await rerun(runForm, { form: { what: 'Tea' } }))
    const task = (await world.get(`/v1/tasks/${again.steps[0].changes[0].id}`)).body
    assert.equal(task.title, 'Tea 1e-7')
    refused(await rerun(runForm, { form: { what: '' } }), 400, 'form.what', /`form.what` is required/)
    refused(await rerun(runForm, { form: { share: 'much' } }), 400, 'form.share', /must be a number/)
    refused(await rerun(runForm, { form: { none: 'x' } }), 400, 'form.none', /Use what, share/)
  })
})
