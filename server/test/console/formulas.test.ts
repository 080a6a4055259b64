/** A formula of a draft is read as it is typed: what it may name, what is wrong with it, and its value for a task. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf, refusal } from './visitor.ts'

onEveryWorld('A formula in the console', (world) => {
  const owner = openFirst(() => ownerOf(world))
  const stranger = openFirst(() => ownerOf(world, world.globex))
  let workspace: string
  let task: string
  let other: string
  let flow: string

  const graphOf = (expr: unknown, trigger: object = { type: 'trigger.manual', config: {} }) => ({
    schema_version: 1,
    nodes: [
      { id: 'begin', ...trigger },
      { id: 'test', type: 'condition', config: { expr } },
      { id: 'say', type: 'task.comment', config: { body: 'Yes' } },
    ],
    edges: [
      { source: 'begin', target: 'test' },
      { source: 'test', port: 'true', target: 'say' },
    ],
  })

  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Harbour' })).id
    task = (await world.make('/v1/tasks', { workspace, title: 'Ferry', labels: ['bug'] })).id
    const elsewhere = (await world.make('/v1/workspaces', { title: 'Elsewhere' })).id
    other = (await world.make('/v1/tasks', { workspace: elsewhere, title: 'Far away' })).id
    flow = (await world.make('/v1/automation_flows', { workspace, name: 'Sailing', graph: graphOf('true') })).id
  })

  const read = async (expr: unknown, body: object = {}, { visitor = owner, id = flow } = {}) =>
    await visitor.send('POST', `automation-flows/${id}/formula`, {
      body: { graph: graphOf(expr), node: 'test', path: 'expr', task, ...body },
    })
  const readOf = async (expr: unknown, body: object = {}) => {
    const reply = await read(expr, body)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  it('has its value for a task, and changes nothing', async () => {
    await world.markWritten()
    assert.deepEqual((await readOf("'bug' in task.labels && size(task.blocks) == 0")).result, {
      value: true,
      failure: null,
      only_in_run: [],
    })
    assert.equal((await readOf("'bug' in task.labels", { task: undefined })).result, null)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('has a fault with its place, as the validation of the graph names it', async () => {
    const { fault, result } = await readOf("true && 'bug' in task.label")
    assert.deepEqual([fault.start, result], [22, null])
    assert.match(fault.message, /label/)
    assert.deepEqual((await readOf('task.title')).fault, {
      message: 'It gives a string, but a bool is required',
      start: 0,
    })
    assert.deepEqual((await readOf("steps.say.status == 'x'")).fault, {
      message: 'steps.say does not come before test',
      start: 0,
    })
  })

  it('is read from a graph that is not valid yet', async () => {
    assert.deepEqual((await readOf(undefined)).fault, null)
    assert.ok((await readOf('')).names.some(({ name }: { name: string }) => name === 'task.title'))
  })

  it('says why it has no value for a task', async () => {
    assert.deepEqual((await readOf('task.number / 0 == 1')).result, {
      value: null,
      failure: 'division by zero',
      only_in_run: [],
    })
    assert.deepEqual((await readOf("run.id == 'a'")).result, { value: null, failure: null, only_in_run: ['run'] })
  })

  it('sees the latest event about the task that the trigger watches', async () => {
    await world.call('PATCH', `/v1/tasks/${task}`, { body: { workspace, title: 'Night ferry' } })
    const trigger = { type: 'trigger.event', config: { event_types: ['workflow.task.updated'] } }
    const expr = "before.title == 'Ferry' && event.data.object.title == 'Night ferry'"
    const { result } = await readOf(expr, { graph: graphOf(expr, trigger) })
    assert.deepEqual(result, { value: true, failure: null, only_in_run: [] })
  })

  it('sees the inputs of a call: those that were sent, and assumed ones for the others, without a task', async () => {
    const inputs = [
      { key: 'word', kind: 'text', required: true, label: 'A word' },
      { key: 'days', kind: 'integer' },
    ]
    const called = (expr: string) => graphOf(expr, { type: 'trigger.call', config: { inputs, takes_task: true } })
    const expr = "call.word == 'Ahoy' && call.days == 3"
    const graph = called(expr)
    const sent = { graph, task: undefined, call: { word: 'Ahoy', days: 3 } }
    const { result, call } = await readOf(expr, sent)
    assert.deepEqual(
      [result, call],
      [
        { value: true, failure: null, only_in_run: [] },
        { word: 'Ahoy', days: 3 },
      ],
    )
    const assumed = await readOf(expr, { graph, task: undefined, call: { days: 3 } })
    assert.deepEqual([assumed.result.value, assumed.call], [false, { word: 'A word', days: 3 }])
    const withTask = "call.word == 'Ahoy' && 'bug' in task.labels"
    assert.equal((await readOf(withTask, { graph: called(withTask), call: { word: 'Ahoy' } })).result.value, true)
    assert.equal((await readOf(withTask, { graph: called(withTask), task: undefined })).result, null)
    const wrong = await read(expr, { graph, call: { days: 'three' } })
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'call.days'])
  })

  it('of a foreign or missing flow is not found, and a task of another workspace is refused', async () => {
    const foreign = await read('true', {}, { visitor: stranger })
    const missing = await read('true', {}, { id: `flow_${'0'.repeat(26)}` })
    assert.deepEqual(refusal(foreign), [404, 'resource_not_found'])
    assert.deepEqual(refusal(missing), refusal(foreign))
    const reply = await read('true', { task: other })
    assert.deepEqual([reply.status, reply.body.error.param], [400, 'task'])
  })

  it('of an unknown node, and in a graph above the limits, is refused by name', async () => {
    const unknown = await read('true', { node: 'missing' })
    assert.deepEqual([unknown.status, unknown.body.error.param], [400, 'node'])
    assert.match(unknown.body.error.message, /`missing`/)
    const nodes = Array.from({ length: 101 }, (_, i) => ({ id: `n${i}`, type: 'stop', config: {} }))
    const large = await read('true', { graph: { nodes, edges: [] }, node: 'n0' })
    assert.deepEqual([large.status, large.body.error.param], [400, 'graph.nodes'])
    assert.match(large.body.error.message, /101/)
  })
})
