/** Which steps a run takes, and how it ends. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import type { Store } from '../../src/db/store.ts'
import { findRun } from '../../src/resources/automation_runs/queries.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { advance } from '../../src/resources/automation_runs/steps/advance.ts'
import { claimRun } from '../../src/resources/automation_runs/steps/claim.ts'
import { loadState } from '../../src/resources/automation_runs/steps/run-state.ts'
import { automationRunsWorker, drainRuns } from '../../src/workers/automations/runs.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment, delay } from './graphs.ts'

onEveryWorld('a run of an automation, by its steps,', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver
  let task: string
  let flow: string

  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver?.close())
  beforeEach(async () => {
    const { workspace, project } = desk
    task = (await world.make('/v1/tasks', { workspace, project, title: 'Subject', labels: ['new', 'old'] })).id
  })

  const shown = async (path: string) => (await world.get(path)).body

  /** Activates the graph, starts a run by hand and executes it. Returns the run as GET shows it. */
  async function carryOut(graph: object, subject = task) {
    flow = (await desk.activate(graph)).id
    const run = await startByHand(world.services, flow, subject)
    await world.markWritten()
    await drainRuns(world.services)
    return await shown(`/v1/automation_runs/${run.id}?workspace=${desk.workspace}`)
  }

  const started = 'automation.run.started'

  it('fails with the API’s code where the API would refuse the step’s change', async () => {
    const run = await carryOut(chain({ id: 'move', type: 'task.move', config: { project: { $expr: "'prj_none'" } } }))
    await world.assertWritten({ events: [started, 'automation.run.failed'], audit: [] })
    const failure = {
      code: 'invalid_request_body',
      message: 'project: project "prj_none" names no project that can be used here.',
      node: 'move',
    }
    assert.deepEqual([run.status, run.failure, run.current_node], ['failed', failure, 'move'])
    assert.deepEqual([run.steps[0].status, run.steps[0].failure, run.steps[0].changes], ['failed', failure, []])
  })

  it('fails with resource_deleted when its task was deleted meanwhile', async () => {
    flow = (await desk.activate(chain({ id: 'say', type: 'task.comment', config: { body: 'Hello' } }))).id
    const { id } = await startByHand(world.services, flow, task)
    await world.delete(`/v1/tasks/${task}`)
    await drainRuns(world.services)
    const run = await shown(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)
    assert.deepEqual([run.status, run.failure.code], ['failed', 'resource_deleted'])
  })

  it('takes the ports of its conditions, runs once per item of its loops, and skips the other nodes', async () => {
    const graph = chain(
      { id: 'big', type: 'condition', config: { expr: "task.title == 'Subject'" } },
      { id: 'each', type: 'for_each', config: { items: { $expr: "['a', 'b']" }, max_items: 5 } },
    )
    const say = {
      id: 'say',
      type: 'task.comment',
      parent: 'each',
      config: { body: { $template: '{{ index }}{{ item }}' } },
    }
    const no = { id: 'no', type: 'task.comment', config: { body: 'No' } }
    const end = { id: 'end', type: 'stop', config: { outcome: 'failed', message: 'Enough.' } }
    graph.nodes.push(say, no, end)
    graph.edges.push({ source: 'big', port: 'false', target: 'no' }, { source: 'each', target: 'end' })
    const run = await carryOut(graph)
    await world.assertWritten({
      events: [started, 'workflow.comment.created', 'workflow.comment.created', 'automation.run.failed'],
      audit: ['task_comments.create', 'task_comments.create'],
    })
    assert.deepEqual(
      run.steps.map((step: { node: string; path: number[]; status: string; port: string | null }) => [
        step.node,
        step.path.join(),
        step.status,
        step.port,
      ]),
      [
        ['big', '', 'succeeded', 'true'],
        ['each', '', 'succeeded', null],
        ['say', '0', 'succeeded', null],
        ['say', '1', 'succeeded', null],
        ['no', '', 'skipped', null],
        ['end', '', 'succeeded', null],
      ],
    )
    assert.deepEqual(run.failure, { code: 'stopped', message: 'Enough.', node: 'end' })
    const { data } = await shown(`/v1/tasks/${task}/comments?workspace=${desk.workspace}`)
    assert.deepEqual(data.map((comment: { body: string }) => comment.body).sort(), ['0a', '1b'])
  })

  it('is released between two steps when its process ends, and another continues at once', async () => {
    flow = (await desk.activate(chain(...Array.from({ length: 30 }, (_, i) => comment(`step${i}`))))).id
    const { id } = await startByHand(world.services, flow, task)
    const leaving = { ...world.services }
    await automationRunsWorker.run(leaving, 32, new AbortController().signal)
    await automationRunsWorker.end?.(leaving)
    const reader = world.services.store.reader('system')
    const left = await findRun(reader, { realm: world.acme.realms.live, id })
    assert.ok(left)
    assert.ok(left.steps < 30, 'it was in the middle of it')
    assert.deepEqual([left.status, left.lease_owner, left.due_at], ['running', null, world.clock.now()])
    await drainRuns(world.services)
    const run = await shown(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)
    assert.deepEqual([run.status, run.usage.steps], ['succeeded', 30])
    const { data } = await shown(`/v1/tasks/${task}/comments?workspace=${desk.workspace}&limit=100`)
    assert.equal(data.length, 30)
  })

  it('is claimed by another process when its lease expires, and the first process commits nothing more', async () => {
    flow = (await desk.activate(chain(comment('one'), comment('two')))).id
    const { id } = await startByHand(world.services, flow, task)
    const reader = world.services.store.reader('system')
    const row = await findRun(reader, { realm: world.acme.realms.live, id })
    assert.ok(row)
    const held = await claimRun(world.services, row, 'the silent one')
    assert.ok(held)
    const state = await loadState(reader, held)
    assert.equal(await drainRuns(world.services), 0, 'the lease stands')
    world.clock.advance(15_000)
    assert.equal(await drainRuns(world.services), 1)
    assert.deepEqual(await advance(world.services, state), { next: 'lost' })
    const { data } = await shown(`/v1/tasks/${task}/comments?workspace=${desk.workspace}`)
    assert.deepEqual(data.map(({ body }: { body: string }) => body).sort(), ['one', 'two'])
  })

  it('takes every step once although the answer to every commit is lost and its transaction runs again', async () => {
    receiver.respond = answer(200)
    const call = { id: 'call', type: 'http.request', config: { method: 'POST', url: receiver.url, body: { at: 1 } } }
    flow = (await desk.activate(chain(comment('one'), call, delay('nap', 5), comment('two')))).id
    const { id } = await startByHand(world.services, flow, task)
    await world.markWritten()
    const { store } = world.services
    const write = (async (scope, job, options) => {
      const value = await store.write(scope, job, options)
      return options?.recorded ? await store.write(scope, job, options) : value
    }) as Store['write']
    const services = { ...world.services, store: Object.assign(Object.create(store), { write }) }
    await drainRuns(services)
    world.clock.advance(5_000)
    await drainRuns(services)
    await world.assertWritten({
      events: [started, 'workflow.comment.created', 'workflow.comment.created', 'automation.run.succeeded'],
      audit: ['task_comments.create', 'task_comments.create'],
    })
    const run = await shown(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)
    assert.deepEqual(
      run.steps.map((step: { node: string; attempts: number }) => [step.node, step.attempts]),
      ['one', 'call', 'nap', 'two'].map((node) => [node, 1]),
    )
    assert.equal(receiver.events.length, 1)
  })
})
