/** Flows that call other flows: what they give and receive, once, and what ends the wait (contract/16#calls). */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import type { Reply } from '../call.ts'
import { join, ownerOf } from '../console/visitor.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { comment, type Node } from './graphs.ts'

const by_hand: Node = { id: 'by_hand', type: 'trigger.manual', config: {} }
const called: Node = { id: 'called', type: 'trigger.call', config: {} }

type Input = { readonly key: string; readonly kind: string; readonly required?: boolean }

/** Nodes in a row. */
function row(...nodes: readonly Node[]) {
  const edges = nodes.slice(1).map(({ id }, i) => ({ source: nodes[i]?.id as string, target: id }))
  return { schema_version: 7, nodes, edges }
}

onEveryWorld('a call of another flow', (world) => {
  const desk = openFirst(() => openDesk(world))

  const drain = () => drainRuns(world.services)
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
  const calledBy = async (run: string): Promise<Reply['body'][]> =>
    (await world.get(`/v1/automation_runs/${run}/called?workspace=${desk.workspace}`)).body.data
  const stepsOf = async (run: string, node: string): Promise<{ input: unknown; output: unknown }[]> => {
    const { steps } = (await world.get(`/v1/automation_runs/${run}/steps?workspace=${desk.workspace}&node=${node}`))
      .body
    const parsed = (text: string | null) => (text === null ? null : JSON.parse(text))
    return steps.map(({ input, output }: { input: string | null; output: string | null }) => {
      return { input: parsed(input), output: parsed(output) }
    })
  }
  const commentsOf = async (task: string): Promise<string[]> =>
    (await world.get(`/v1/tasks/${task}/comments?workspace=${desk.workspace}`)).body.data.map(
      ({ body }: { body: string }) => body,
    )
  const newTask = async () =>
    (await world.make('/v1/tasks', { workspace: desk.workspace, project: desk.project, title: 'Subject' })).id as string

  const callOf = (flow: string, config: object = {}, more: object = {}): Node =>
    ({ id: 'call', type: 'flow.call', config: { flow, ...config }, ...more }) as Node

  /** A flow that takes these inputs and returns what the expression gives. */
  async function returning(output: unknown, inputs: readonly Input[] = [], nodes: readonly Node[] = []) {
    const trigger = { ...called, config: { inputs } }
    const stop: Node = { id: 'end', type: 'stop', config: { outcome: 'succeeded', message: 'Done.', output } }
    return (await desk.activate(row(trigger, ...nodes, stop))).id as string
  }

  /** Runs a flow on a new task to its end, or to its sleep. */
  async function run(graph: object) {
    const flow = (await desk.activate(graph)).id as string
    const task = await newTask()
    const id = (await startByHand(world.services, flow, task)).id
    await drain()
    return { id, flow, task }
  }

  it('gives its inputs to a run of the other flow, waits for it, and receives its output', async () => {
    const flow = await returning({ $expr: 'call.amount * 2' }, [{ key: 'amount', kind: 'integer', required: true }])
    const graph = row(
      by_hand,
      callOf(flow, { inputs: { amount: { $expr: 'size(task.title)' } } }),
      comment('say', { $template: 'Twice is {{ steps.call.output.output }}, {{ steps.call.output.message }}' }),
    )
    const { id, task } = await run(graph)
    const { status, called_by, called_by_node } = await shown(id)
    assert.deepEqual([status, called_by, called_by_node], ['succeeded', null, null])
    assert.deepEqual(await commentsOf(task), ['Twice is 14, Done.'])
    const [inner, ...others] = await calledBy(id)
    assert.equal(others.length, 0)
    assert.deepEqual(
      [inner?.status, inner?.automation_flow, inner?.called_by, inner?.called_by_node, inner?.depth, inner?.task],
      ['succeeded', flow, id, 'call', 1, null],
    )
    const received = (await world.get(`/v1/automation_runs/${inner?.id}/input?workspace=${desk.workspace}`)).body
    assert.deepEqual(received.call, { amount: 7 })
    const [step] = await stepsOf(id, 'call')
    assert.deepEqual(step?.output, { run: inner?.id, status: 'succeeded', output: 14, message: 'Done.' })
    assert.deepEqual(step?.input, { flow, task: null, inputs: { amount: 7 } })
  })

  it('starts the other run in the transaction of its step, by an event and an audit entry', async () => {
    const flow = await returning(1)
    const caller = (await desk.activate(row(by_hand, callOf(flow), comment('say')))).id as string
    const { id } = await startByHand(world.services, caller, await newTask())
    await world.markWritten()
    await drain()
    await world.assertWritten({
      events: [
        'automation.run.started',
        'automation.run.queued',
        'automation.run.started',
        'automation.run.succeeded',
        'workflow.comment.created',
        'automation.run.succeeded',
      ],
      audit: ['automation_runs.start', 'task_comments.create'],
    })
    assert.equal((await shown(id)).status, 'succeeded')
  })

  it('acts on the task of the caller if the other flow takes a task, with the permissions of that flow', async () => {
    const trigger = { ...called, config: { takes_task: true } }
    const flow = (await desk.activate(row(trigger, comment('say', { $template: 'I see {{ task.title }}' })))).id
    const { secret } = await world.key({ scopes: ['automations:read', 'automations:write', 'tasks:read'] })
    const draft = await desk.draft(row(by_hand, callOf(flow)))
    assert.deepEqual(draft.required_scopes, ['tasks:read', 'automations:write'])
    const caller = (await desk.activate(row(by_hand, callOf(flow)), { call: { key: secret } })).id
    const task = await newTask()
    const { id } = await startByHand(world.services, caller, task)
    await drain()
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual(await commentsOf(task), ['I see Subject'])
    assert.equal((await calledBy(id))[0]?.task, task)
  })

  it('that does not wait goes on at once, and the other run follows', async () => {
    const flow = await returning(1, [], [{ id: 'sleep', type: 'delay', config: { seconds: 600 } }])
    const { id, task } = await run(row(by_hand, callOf(flow, { wait: false }), comment('say')))
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual(await commentsOf(task), ['say'])
    const [inner] = await calledBy(id)
    assert.equal(inner?.status, 'sleeping')
    const [step] = await stepsOf(id, 'call')
    assert.deepEqual(step?.output, { run: inner?.id, status: 'queued', output: null, message: null })
    world.clock.advance(600_000)
    await drain()
    assert.equal((await calledBy(id))[0]?.status, 'succeeded')
  })

  const failing = async () => {
    const stop: Node = { id: 'end', type: 'stop', config: { outcome: 'failed', message: 'No sails.', output: [1] } }
    return (await desk.activate(row(called, stop))).id as string
  }

  it('fails if the other run fails, and says why', async () => {
    const { id } = await run(row(by_hand, callOf(await failing()), comment('say')))
    const { status, failure } = await shown(id)
    const [inner] = await calledBy(id)
    assert.deepEqual([status, failure.code, failure.node], ['failed', 'call_failed', 'call'])
    assert.equal(failure.message, `The called run ${inner?.id} failed: No sails.`)
  })

  it('goes on by the port error, with what the failed run returned', async () => {
    const graph = row(by_hand, callOf(await failing(), {}, { on_error: 'branch' }))
    const say = comment('say', { $template: '{{ steps.call.output.message }} {{ steps.call.output.output[0] }}' })
    const edges = [...graph.edges, { source: 'call', port: 'error', target: 'say' }]
    const { id, task } = await run({ ...graph, nodes: [...graph.nodes, say], edges })
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual(await commentsOf(task), ['No sails. 1'])
  })

  it('takes the port timed_out after its timeout, while the other run goes on', async () => {
    const flow = await returning(1, [], [{ id: 'sleep', type: 'delay', config: { seconds: 600 } }])
    const graph = row(by_hand, callOf(flow, { timeout_seconds: 60 }), comment('in_time'))
    const edges = [...graph.edges, { source: 'call', port: 'timed_out', target: 'late' }]
    const { id, task } = await run({ ...graph, nodes: [...graph.nodes, comment('late')], edges })
    const asleep = await shown(id)
    assert.deepEqual([asleep.status, asleep.current_node], ['sleeping', 'call'])
    assert.equal(asleep.wake_at, Math.floor(world.clock.now() / 1000) + 60)
    world.clock.advance(59_000)
    await drain()
    assert.equal((await shown(id)).status, 'sleeping')
    world.clock.advance(1000)
    await drain()
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual(await commentsOf(task), ['late'])
    assert.equal((await calledBy(id))[0]?.status, 'sleeping')
    world.clock.advance(600_000)
    await drain()
    assert.equal((await calledBy(id))[0]?.status, 'succeeded')
    assert.deepEqual(await commentsOf(task), ['late'])
  })

  it('leaves the other run as it is when the caller is canceled, and fails when the other run is', async () => {
    const flow = await returning(1, [], [{ id: 'sleep', type: 'delay', config: { seconds: 600 } }])
    const first = await run(row(by_hand, callOf(flow)))
    const [inner] = await calledBy(first.id)
    await world.make(`/v1/automation_runs/${first.id}/cancel`, { workspace: desk.workspace })
    assert.equal((await shown(inner?.id)).status, 'sleeping')
    await world.make(`/v1/automation_runs/${inner?.id}/cancel`, { workspace: desk.workspace })
    const second = await run(row(by_hand, callOf(flow)))
    const [other] = await calledBy(second.id)
    await world.make(`/v1/automation_runs/${other?.id}/cancel`, { workspace: desk.workspace })
    await drain()
    const { status, failure } = await shown(second.id)
    assert.deepEqual([status, failure.message], ['failed', `The called run ${other?.id} was canceled: canceled`])
    assert.equal((await shown(first.id)).status, 'canceled')
  })

  it('in a loop calls once per item', async () => {
    const flow = await returning({ $expr: "call.word + '!'" }, [{ key: 'word', kind: 'text', required: true }])
    const loop: Node = { id: 'loop', type: 'for_each', config: { items: { $expr: "['a', 'b', 'c']" }, max_items: 3 } }
    const call = { ...callOf(flow, { inputs: { word: { $expr: 'item' } } }), parent: 'loop' }
    const say = { ...comment('say', { $expr: 'steps.call.output.output' }), parent: 'loop' }
    const edges = [
      { source: 'by_hand', target: 'loop' },
      { source: 'call', target: 'say' },
    ]
    const { id, task } = await run({ schema_version: 7, nodes: [by_hand, loop, call, say], edges })
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual((await commentsOf(task)).sort(), ['a!', 'b!', 'c!'])
    assert.equal((await calledBy(id)).length, 3)
  })

  it('fails with the reason if the other flow is paused, and starts nothing', async () => {
    const flow = await returning(1)
    const caller = (await desk.activate(row(by_hand, callOf(flow)))).id as string
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace })
    const { id } = await startByHand(world.services, caller, await newTask())
    await drain()
    const { status, failure } = await shown(id)
    assert.deepEqual(
      [status, failure.code, failure.message],
      ['failed', 'flow_not_callable', `The flow ${flow} cannot be called: it is not active.`],
    )
    assert.deepEqual(await calledBy(id), [])
  })

  it('fails if an input is missing or of another type, and names it', async () => {
    const inputs = [{ key: 'amount', kind: 'integer', required: true }]
    const flow = await returning(1, inputs)
    for (const [value, what] of [
      ['task.title', 'must be a whole number for the called flow, but is of type string'],
      ['task.due_at', 'is required by the called flow'],
    ]) {
      const { id } = await run(row(by_hand, callOf(flow, { inputs: { amount: { $expr: value } } })))
      const { failure } = await shown(id)
      assert.deepEqual([failure.code, failure.message], ['wrong_type', `config.inputs.amount ${what}.`])
    }
  })

  it('fails if what a run returns is too large', async () => {
    const flow = await returning({ $expr: 'call.list' }, [{ key: 'list', kind: 'list' }])
    const long = { $expr: `[${Array.from({ length: 30 }, () => 'task.description').join()}]` }
    const caller = (await desk.activate(row(by_hand, callOf(flow, { inputs: { list: long } })))).id
    const task = await newTask()
    await world.patch(`/v1/tasks/${task}`, { description: 'x'.repeat(3000) })
    const { id } = await startByHand(world.services, caller, task)
    await drain()
    const { failure } = await shown(id)
    assert.equal(failure.code, 'wrong_type')
    assert.match(failure.message, /^The inputs of the call have 90\d\d\d bytes as JSON; at most 65536 are allowed\.$/)
  })

  it('is recorded in shadow mode without starting anything', async () => {
    const flow = await returning(1)
    const caller = (await desk.activate(row(by_hand, callOf(flow), comment('say')), { mode: 'shadow' })).id
    const { id } = await startByHand(world.services, caller, await newTask())
    await drain()
    assert.equal((await shown(id)).status, 'succeeded')
    assert.deepEqual(await calledBy(id), [])
    const [step] = (await shown(id)).steps
    assert.deepEqual([step.node, step.reason], ['call', 'shadow'])
  })

  it('is refused at activation in a cycle, direct and by another flow, and by a flow that is not active', async () => {
    const flow = (await desk.draft(row(by_hand, comment('say', 'x')))).id as string
    const graph = (other: string) => row({ ...called, config: {} }, callOf(other))
    const { workspace } = desk
    const activate = async (id: string) => {
      const { preview_token, warnings } = await desk.preview(id)
      const body = { workspace, preview_token, scope_acknowledged: true }
      return { warnings, reply: await world.post(`/v1/automation_flows/${id}/activate`, body) }
    }
    const target = { id: 'end', type: 'stop', config: { outcome: 'succeeded' } } as const
    const plain = (await desk.draft(row(called, target as Node))).id as string
    const calling = (await desk.draft(graph(plain))).id as string
    const inactive = await activate(calling)
    assert.deepEqual(
      [inactive.reply.status, inactive.reply.body.error.param, inactive.warnings[0].code],
      [409, 'graph.nodes[1].config.flow', 'reference_missing'],
    )
    assert.match(inactive.reply.body.error.message, /names the flow "A flow", which is draft; activate it first\./)
    assert.equal((await activate(plain)).reply.status, 200)
    assert.equal((await activate(calling)).reply.status, 200)
    await world.make(`/v1/automation_flows/${plain}/pause`, { workspace })
    await world.patch(`/v1/automation_flows/${plain}`, { workspace, graph: graph(calling) })
    const mutual = await activate(plain)
    assert.equal(mutual.reply.status, 409)
    const cycle = `${plain} → ${calling} → ${plain}`
    assert.ok(mutual.reply.body.error.message.includes(`would create a cycle of calls: ${cycle}.`))
    await world.patch(`/v1/automation_flows/${flow}`, { workspace, graph: row(called, target as Node) })
    await world.patch(`/v1/automation_flows/${flow}`, { workspace, graph: graph(flow) })
    const direct = await activate(flow)
    assert.equal(direct.reply.status, 409)
    assert.ok(direct.reply.body.error.message.includes(`would create a cycle of calls: ${flow} → ${flow}.`))
  })

  it('is refused above five flows that call one another, as a skipped run with the reason', async () => {
    let flow = await returning(1)
    for (let depth = 0; depth < 4; depth++) flow = (await desk.activate(row(called, callOf(flow)))).id
    const { id } = await run(row(by_hand, callOf(flow)))
    const { status, failure } = await shown(id)
    assert.deepEqual([status, failure.code], ['failed', 'call_failed'])
    let last = id
    for (let next = await calledBy(last); next.length > 0; next = await calledBy(last)) last = next[0]?.id
    const { status: end, status_reason, depth } = await shown(last)
    assert.deepEqual([end, status_reason, depth], ['skipped', 'depth_exceeded', 5])
  })

  it('of a flow that is missing, elsewhere, of another organization, or cannot be called is refused when it is written', async () => {
    const elsewhere = await desk.fresh()
    const body = { workspace: elsewhere.workspace, name: 'Elsewhere' }
    const end: Node = { id: 'end', type: 'stop', config: { outcome: 'succeeded' } }
    const other = (await world.make('/v1/automation_flows', { ...body, graph: row(called, end) })).id
    const foreign_key = { key: world.globex.key }
    const foreign_workspace = (await world.make('/v1/workspaces', { title: 'Foreign' }, foreign_key)).id
    const foreign = await world.make(
      '/v1/automation_flows',
      { ...body, workspace: foreign_workspace, graph: row(called, end) },
      foreign_key,
    )
    for (const id of ['flow_00000000000000000000000000', other, foreign.id]) {
      const reply = await world.post('/v1/automation_flows', {
        ...{ workspace: desk.workspace, name: 'Calls', graph: row(by_hand, callOf(id)) },
      })
      assert.deepEqual(
        [reply.status, reply.body.error.message],
        [400, 'The field `graph.nodes[1].config.flow` names no flow that can be used here.'],
      )
    }
    const by_person = (await desk.draft(row(by_hand, comment('say')))).id
    const takes = await returning({ $expr: 'call.a' }, [{ key: 'a', kind: 'text', required: true }])
    const faults = async (config: object) => {
      const graph = row(by_hand, { ...callOf(takes), config } as Node)
      const reply = await world.post('/v1/automation_flows', { workspace: desk.workspace, name: 'Calls', graph })
      assert.equal(reply.status, 400)
      const { details, message } = reply.body.error
      return (details ?? [{ message }]).map((one: { message: string }) => one.message)
    }
    assert.deepEqual(await faults({ flow: by_person }), [
      'The field `graph.nodes[1].config.flow` names the flow "A flow", which has no trigger.call.',
    ])
    assert.deepEqual(await faults({ flow: takes, task: '$subject', inputs: { b: 1 } }), [
      'The field `graph.nodes[1].config.inputs.b` is not an input of the called flow. It takes a.',
      'The field `graph.nodes[1].config.inputs.a` is required by the called flow.',
      'The field `graph.nodes[1].config.task` must be left out, because the called flow takes no task.',
    ])
    assert.deepEqual(await faults({ flow: takes, inputs: { a: 1 } }), [
      'The field `graph.nodes[1].config.inputs.a` must be a text for the called flow, but is of type int.',
    ])
  })

  it('is shown only to its own organization', async () => {
    const { id } = await run(row(by_hand, callOf(await returning(1))))
    const reply = await world.get(`/v1/automation_runs/${id}/called?workspace=${desk.workspace}`, {
      key: world.globex.key,
    })
    assert.equal(reply.status, 404)
  })

  it('is shown to no guest, neither the called run nor that there is one, whichever project its task is in', async () => {
    const { workspace } = desk
    const project = desk.id('other_project')
    const stop: Node = { id: 'end', type: 'stop', config: { outcome: 'succeeded', output: 'Secret.' } }
    const trigger = { ...called, config: { takes_task: true } }
    const inner = (await desk.activate(row(trigger, comment('say', 'Called.'), stop))).id as string
    const hidden = (await world.make('/v1/tasks', { workspace, project, title: 'Hidden' })).id as string
    const { id } = await run(row(by_hand, callOf(inner, { task: hidden })))
    const [made] = await calledBy(id)
    assert.equal(made?.task, hidden)
    // In the project of the calling run's task, and not in that of the called one.
    const guest = await join(await ownerOf(world), 'gil.calls@acme.example', 'guest', [desk.project])
    const key = await guest.token()
    const asGuest = async (path: string) => await world.get(path, { key })
    assert.equal((await asGuest(`/v1/tasks/${desk.task}`)).status, 200)
    assert.equal((await asGuest(`/v1/tasks/${hidden}`)).status, 404)
    const paths = [
      ...[`/v1/automation_runs/${id}/called`, `/v1/automation_runs/${id}`, `/v1/automation_runs/${id}/steps`],
      ...[`/v1/automation_runs/${made?.id}`, `/v1/automation_runs/${made?.id}/called`, '/v1/automation_runs'],
      // A run that does not exist answers the same.
      `/v1/automation_runs/run_${'0'.repeat(26)}/called`,
    ]
    const replies = await Promise.all(paths.map((path) => asGuest(`${path}?workspace=${workspace}`)))
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'insufficient_scope'], reply.text)
      assert.ok(!reply.text.includes(made?.id as string))
    }
    const events = await asGuest('/v1/events?limit=100')
    assert.ok(!events.text.includes(made?.id as string), 'an event names the called run')
  })

  it('is rehearsed with the called flow, whose steps a preview shows without effect', async () => {
    const inner = await returning({ $expr: 'call.word' }, [{ key: 'word', kind: 'text', required: true }])
    const trigger = { ...called, config: { takes_task: true } }
    const label: Node = { id: 'label', type: 'task.label', config: { add: ['called'] } }
    const nested = { ...callOf(inner, { inputs: { word: 'deep' } }), id: 'deeper' }
    const flow = (await desk.activate(row(trigger, label, nested))).id as string
    const graph = row(
      by_hand,
      callOf(flow),
      comment('say', { $expr: "'called' in task.labels ? 'changed' : 'unchanged'" }),
    )
    const { id } = await desk.draft(graph)
    const preview = await desk.preview(id)
    assert.equal(preview.outcome, 'succeeded')
    assert.deepEqual(
      preview.calls.map(({ node, parent, automation_flow, outcome, steps }: Reply['body']) => [
        ...[node, parent, automation_flow, outcome],
        steps.map((step: { node: string; status: string }) => `${step.node} ${step.status}`),
      ]),
      [
        ['call', null, flow, 'succeeded', ['label would_run', 'deeper would_run']],
        ['deeper', 0, inner, 'succeeded', ['end would_run']],
      ],
    )
    const said = preview.steps.find(({ node }: { node: string }) => node === 'say')
    assert.equal(said.changes[0].fields.body.to, 'changed')
    assert.deepEqual((await world.get(`/v1/tasks/${desk.task}`)).body.labels, ['new'])
    assert.deepEqual(
      (await world.get(`/v1/automation_runs?workspace=${desk.workspace}&automation_flow=${flow}`)).body.data,
      [],
    )
  })

  it('of a flow is previewed with the inputs that are sent, or invented ones', async () => {
    const inputs = [{ key: 'word', kind: 'text', required: true }]
    const trigger = { ...called, config: { inputs } }
    const create: Node = { id: 'make', type: 'task.create', config: { set: { title: { $expr: 'call.word' } } } }
    const { id } = await desk.draft(row(trigger, create))
    const body = { workspace: desk.workspace, task: desk.task }
    const titleOf = (reply: Reply) => reply.body.steps[0].changes[0].fields.title.to
    const path = `/v1/automation_flows/${id}/preview`
    assert.equal(titleOf(await world.post(path, body)), 'word')
    assert.equal(titleOf(await world.post(path, { ...body, call: { word: 'Sails' } })), 'Sails')
    const wrong = await world.post(path, { ...body, call: { word: 1 } })
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'call.word'])
  })

  it('runs again with the inputs that it received, or with corrected ones, and wakes no caller', async () => {
    const inputs = [{ key: 'word', kind: 'text', required: true }]
    const flow = await returning({ $expr: 'call.word' }, inputs)
    const { id } = await run(row(by_hand, callOf(flow, { inputs: { word: 'first' } })))
    const [inner] = await calledBy(id)
    const again = async (more: object) => {
      const rerun = await world.make(`/v1/automation_runs/${inner?.id}/rerun`, { workspace: desk.workspace, ...more })
      await drain()
      assert.deepEqual([rerun.called_by, rerun.rerun_of], [null, inner?.id])
      return (await stepsOf(rerun.id, 'end'))[0]?.output
    }
    assert.equal(await again({}), 'first')
    assert.equal(await again({ call: { word: 'second' } }), 'second')
    assert.equal((await calledBy(id)).length, 1)
  })
})
