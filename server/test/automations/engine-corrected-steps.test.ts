/**
 * Reruns with corrected settings of the step from which they start: the values stand in place of formulas, for this step alone, and run
 * and journal say who corrected what.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { CallOptions, Reply } from '../call.ts'
import { onEveryEngine } from '../engines.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'

type Body = Reply['body']

/** The comment fails on a task without description; the last step repeats what it said. */
const flawed = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    { id: 'first', type: 'task.comment', config: { body: 'First' } },
    { id: 'say', type: 'task.comment', config: { body: { $expr: 'task.custom_fields.nothing' } } },
    {
      id: 'make',
      type: 'task.create',
      config: { set: { title: { $template: '{{ task.title }}!' }, priority: 'low' } },
    },
    { id: 'repeat', type: 'task.comment', config: { body: { $expr: 'steps.say.output.comment.body' } } },
    { id: 'is_low', type: 'condition', config: { expr: 'task.priority == "low"' } },
    { id: 'end', type: 'task.comment', config: { body: 'Low' } },
  ],
  edges: [
    { source: 'by_hand', target: 'first' },
    { source: 'first', target: 'say' },
    { source: 'say', target: 'make' },
    { source: 'make', target: 'repeat' },
    { source: 'repeat', target: 'is_low' },
    { source: 'is_low', target: 'end' },
  ],
}

onEveryEngine('running a run again from a corrected step', (engine) => {
  let world: World
  let desk: Desk
  let flow: string
  before(async () => {
    world = await openWorld(engine)
    desk = await openDesk(world)
    flow = (await desk.activate(flawed)).id
  })
  after(async () => world?.close())

  const shown = async (run: string): Promise<Body> =>
    (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
  const rerun = (run: string, body: object = {}, options: CallOptions = {}): Promise<Reply> =>
    world.call('POST', `/v1/automation_runs/${run}/rerun`, { body: { workspace: desk.workspace, ...body }, ...options })
  const commentsOf = async (task: string): Promise<string[]> =>
    (await world.get(`/v1/tasks/${task}/comments`)).body.data.map(({ body }: Body) => body).reverse()

  async function settledRun(reply: Reply): Promise<Body> {
    assert.equal(reply.status, 200, reply.text)
    await drainRuns(world.services)
    return await shown(reply.body.id)
  }

  async function failedRun(): Promise<{ readonly run: Body; readonly task: string }> {
    const { workspace, project } = desk
    const task = (await world.make('/v1/tasks', { workspace, project, title: 'Subject' })).id as string
    const { id } = await startByHand(world.services, flow, task)
    await drainRuns(world.services)
    const run = await shown(id)
    assert.deepEqual([run.status, run.failure.node, run.correction], ['failed', 'say', null])
    return { run, task }
  }

  const owner = () => ({ type: 'organization', id: world.acme.id })
  const correctionsOf = ({ steps }: Body) => steps.map(({ node, correction }: Body) => [node, correction])

  it('carries the step out with the given value, and later steps see it', async () => {
    const { run, task } = await failedRun()
    await world.markWritten()
    const reply = await rerun(run.id, { from_step: 'say', step_input: { body: 'Corrected' } })
    await world.assertWritten({ events: ['automation.run.queued'], audit: ['automation_runs.rerun'] })
    const again = await settledRun(reply)
    assert.equal(again.status, 'succeeded', JSON.stringify(again.failure))
    assert.deepEqual(again.correction, { part: 'step', fields: ['body'], by: owner() })
    assert.deepEqual(await commentsOf(task), ['First', 'Corrected', 'Corrected'])
    const own = { fields: ['body'], by: owner() }
    assert.deepEqual(correctionsOf(again), [
      ...[
        ['first', null],
        ['say', own],
        ['make', null],
        ['repeat', null],
      ],
      ...[
        ['is_low', null],
        ['end', null],
      ],
    ])
    assert.deepEqual((await shown(run.id)).correction, null)
    const { body } = await world.get(`/v1/automation_runs/${again.id}/steps?workspace=${desk.workspace}&node=say`)
    assert.deepEqual(JSON.parse(body.steps[0].input), { body: 'Corrected' })
  })

  it('corrects single fields of a task, the others are computed again; braces and expressions are text', async () => {
    const { run } = await failedRun()
    const first = await settledRun(await rerun(run.id, { from_step: 'say', step_input: { body: '{{ task.title }}' } }))
    const second = await settledRun(
      await rerun(first.id, { from_step: 'make', step_input: { set: { priority: 'high' } } }),
    )
    const [made] = second.steps.find(({ node }: Body) => node === 'make').changes
    const task = (await world.get(`/v1/tasks/${made.id}`)).body
    assert.deepEqual([task.title, task.priority], ['Subject!', 'high'])
    assert.deepEqual(second.correction.fields, ['set.priority'])
    const { body } = await world.get(`/v1/automation_runs/${second.id}/steps?workspace=${desk.workspace}&node=say`)
    assert.deepEqual(JSON.parse(body.steps[0].input), { body: '{{ task.title }}' })
  })

  it('keeps the correction in the journal of a rerun that takes the step over, and when it starts there again', async () => {
    const { run, task } = await failedRun()
    const first = await settledRun(await rerun(run.id, { from_step: 'say', step_input: { body: 'Kept' } }))
    const later = await settledRun(await rerun(first.id, { from_step: 'make' }))
    const own = { fields: ['body'], by: owner() }
    assert.deepEqual([later.correction, correctionsOf(later)[1]], [null, ['say', own]])
    const same = await settledRun(await rerun(first.id, { from_step: 'say' }))
    assert.deepEqual([same.status, same.correction], ['succeeded', { part: 'step', ...own }])
    const whole = await settledRun(await rerun(first.id))
    assert.deepEqual([whole.status, whole.correction], ['failed', null])
    assert.deepEqual((await commentsOf(task)).filter((text) => text === 'Kept').length, 5)
  })

  it('says the person who corrected it, and that a request, a form, a mail or the task was corrected', async () => {
    const { run, task } = await failedRun()
    const other = (await world.make('/v1/tasks', { workspace: desk.workspace, project: desk.project, title: 'Other' }))
      .id
    const { secret: key } = await world.make('/v1/api_keys', {
      ...{
        name: 'Corrects',
        scopes: ['automations:write', 'automations:read', 'tasks:read', 'tasks:write', 'comments:write'],
      },
    })
    const reply = await rerun(run.id, { task: other }, { key })
    assert.deepEqual(reply.body.correction, { part: 'task', fields: ['task'], by: owner() })
    assert.equal((await rerun(run.id, { task })).body.correction, null)
    const weak = (await world.make('/v1/api_keys', { name: 'Weak', scopes: ['automations:write'] })).secret
    const refused = await rerun(run.id, { from_step: 'say', step_input: { body: 'No' } }, { key: weak })
    assert.equal(refused.status, 403, refused.text)
    await drainRuns(world.services)
  })

  it('refuses what a graph would refuse, all faults at their fields, before anything is written', async () => {
    const { run } = await failedRun()
    const again = await settledRun(await rerun(run.id, { from_step: 'say', step_input: { body: 'Good' } }))
    const elsewhere = desk.id('elsewhere_task')
    const wrong: readonly [string | undefined, object, string, RegExp][] = [
      [undefined, { body: 'x' }, 'step_input', /needs from_step/],
      ['say', {}, 'step_input', /must name a setting/],
      ['say', { body: '' }, 'step_input.body', /must not be empty/],
      ['say', { body: 5 }, 'step_input.body', /step_input\.body` must be a string/],
      ['say', { body: { $expr: 'task.title' } }, 'step_input.body', /must be a string/],
      ['say', { text: 'x' }, 'step_input.text', /is not a known field/],
      ['say', { task: elsewhere }, 'step_input.task', /names no task that can be used here/],
      ['make', { set: { priority: 'soon' } }, 'step_input.set.priority', /priority/],
      ['is_low', { expr: 'true' }, 'step_input', /condition, which decides by formulas/],
      ['say', { body: 'Bearer atr_live_…' }, 'step_input.body', /“…” in place of a secret/],
      ['say', { body: 'https://ada:…@host.example/?token=…' }, 'step_input.body', /“…” in place of a secret/],
    ]
    await world.markWritten()
    for (const [from_step, step_input, param, text] of wrong) {
      const reply = await rerun(again.id, { ...(from_step && { from_step }), step_input })
      assert.deepEqual([reply.status, reply.body.error?.param], [400, param], reply.text)
      assert.match(reply.body.error.message, text)
    }
    const two = await rerun(again.id, { from_step: 'make', step_input: { set: { title: '', due_at: 'soon' } } })
    assert.deepEqual(two.body.error.details.map(({ param }: Body) => param).sort(), [
      'step_input.set.due_at',
      'step_input.set.title',
    ])
    await world.assertWritten({ events: [], audit: [] })
    const ellipsis = await settledRun(await rerun(run.id, { from_step: 'say', step_input: { body: 'Wait … then go' } }))
    assert.equal(ellipsis.status, 'succeeded')
  })
})
