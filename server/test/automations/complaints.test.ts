/** Failures that users of other automation engines report, and that must not happen here (contract/16#durability). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automation_limits } from '../../src/automations/limits.ts'
import { type Placeholder, query } from '../../src/db/query.ts'
import { workers } from '../../src/workers/index.ts'
import { runWorker } from '../../src/workers/worker.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { activate, activateAgain, begin, openOffice, runsOf, settle } from './served.ts'

interface Step {
  readonly id: string
  readonly type: string
  readonly config: object
  readonly name?: string
  readonly parent?: string
}

/** A trigger on one event type and a chain of steps. */
function chain(event: string, steps: readonly Step[], more: { trigger?: object; settings?: object } = {}) {
  const nodes = [{ id: 'on', type: 'trigger.event', config: { event_types: [event], ...more.trigger } }, ...steps]
  const outer = nodes.filter((node) => !('parent' in node))
  return {
    schema_version: 1,
    settings: more.settings ?? {},
    nodes,
    edges: outer.slice(1).map((node, i) => ({ source: outer[i]?.id, target: node.id })),
  }
}

const comment = (body: unknown, id = 'say'): Step => ({ id, type: 'task.comment', config: { body } })

onEveryWorld('complaints about automations', (world) => {
  const office = openFirst(() => openOffice(world))

  async function newTask(fields: object = {}): Promise<string> {
    return (await world.make('/v1/tasks', { workspace: office.workspace, title: 'A task', ...fields })).id
  }

  async function change(id: string, fields: object): Promise<void> {
    const reply = await world.patch(`/v1/tasks/${id}`, { workspace: office.workspace, ...fields })
    assert.equal(reply.status, 200, reply.text)
  }

  const pause = (flow: string) => world.make(`/v1/automation_flows/${flow}/pause`, { workspace: office.workspace })

  async function comments(id: string): Promise<string[]> {
    return (await world.get(`/v1/tasks/${id}/comments?limit=100`)).body.data
      .map((each: { body: string }) => each.body)
      .reverse()
  }

  test('runs queued when a flow is paused never run, not even after it is active again', async () => {
    const flow = await activate(world, office, chain('workflow.task.created', [comment('Ran')]))
    const task = await newTask()
    await begin(world.services)
    await pause(flow.id)
    await activateAgain(world, office, flow.id)
    await settle(world.services)
    const [run] = await runsOf(world, office, flow.id)
    assert.deepEqual([run.status, run.status_reason], ['skipped', 'flow_paused'])
    assert.deepEqual(await comments(task), [])
    await pause(flow.id)
  })

  test('a renamed node keeps its edges and the references to its output', async () => {
    const steps: Step[] = [
      { id: 'check', type: 'condition', name: 'Old name', config: { expr: "task.title == 'A task'" } },
      comment({ $template: 'It is {{ steps.check.output.result }}' }),
    ]
    const flow = await activate(world, office, chain('workflow.task.created', steps))
    await pause(flow.id)
    const renamed = chain('workflow.task.created', steps)
    Object.assign(renamed.nodes[1] as object, { name: 'New name' })
    const reply = await world.patch(`/v1/automation_flows/${flow.id}`, { workspace: office.workspace, graph: renamed })
    assert.equal(reply.status, 200, reply.text)
    await activateAgain(world, office, flow.id)
    const task = await newTask()
    await settle(world.services)
    assert.deepEqual(await comments(task), ['It is true'])
    await pause(flow.id)
  })

  test('a run stays on the version that started it, and later runs use the version activated since', async () => {
    const slow: Step = { id: 'wait', type: 'delay', config: { seconds: 60 } }
    const flow = await activate(world, office, chain('workflow.task.created', [slow, comment('First version')]))
    const early = await newTask()
    await settle(world.services)
    await pause(flow.id)
    const graph = chain('workflow.task.created', [comment('Second version')])
    await world.patch(`/v1/automation_flows/${flow.id}`, { workspace: office.workspace, graph })
    await activateAgain(world, office, flow.id)
    const late = await newTask()
    await settle(world.services)
    world.clock.advance(60_000)
    await settle(world.services)
    assert.deepEqual([await comments(early), await comments(late)], [['First version'], ['Second version']])
    const runs = await runsOf(world, office, flow.id)
    assert.deepEqual(
      runs.map((run) => [run.task, run.flow_version, run.status]),
      [
        [early, 1, 'succeeded'],
        [late, 2, 'succeeded'],
      ],
    )
    await pause(flow.id)
  })

  test('two flows that trigger each other stop, and the refused start is visible', async () => {
    const low = { set: { priority: 'low' } }
    const high = { set: { priority: 'high' } }
    const on = (priority: string) => ({
      trigger: { changed_fields: ['priority'], when: `task.priority == '${priority}'` },
    })
    const updated = 'workflow.task.updated'
    const one = await activate(
      world,
      office,
      chain(updated, [{ id: 'up', type: 'task.update', config: high }], on('low')),
    )
    const two = await activate(
      world,
      office,
      chain(updated, [{ id: 'down', type: 'task.update', config: low }], on('high')),
    )
    const task = await newTask()
    await change(task, { priority: 'low' })
    await settle(world.services)
    const ones = (await runsOf(world, office, one.id)).map((run) => [run.status, run.status_reason, run.depth])
    const twos = (await runsOf(world, office, two.id)).map((run) => [run.status, run.status_reason, run.depth])
    assert.deepEqual(ones, [
      ['succeeded', null, 0],
      ['skipped', 'reentry', 2],
    ])
    assert.deepEqual(twos, [['succeeded', null, 1]])
    assert.equal((await world.get(`/v1/tasks/${task}`)).body.priority, 'low')
    await pause(one.id)
    await pause(two.id)
  })

  test('with re-entry allowed a cycle ends at the fifth flow of a chain', async () => {
    const settings = { allow_reentry: true, concurrency: { scope: 'task', limit: 20 } }
    const steps: Step[] = [
      { id: 'touch', type: 'task.update', config: { set: { title: { $template: '{{ task.title }}!' } } } },
    ]
    const flow = await activate(world, office, chain('workflow.task.updated', steps, { settings }))
    const task = await newTask({ title: 'Hello' })
    await change(task, { title: 'Hi' })
    await settle(world.services)
    const runs = await runsOf(world, office, flow.id)
    assert.deepEqual(
      runs.map((run) => [run.status, run.status_reason, run.depth]),
      [...[0, 1, 2, 3, 4].map((depth) => ['succeeded', null, depth]), ['skipped', 'depth_exceeded', 5]],
    )
    assert.equal((await world.get(`/v1/tasks/${task}`)).body.title, 'Hi!!!!!')
    await pause(flow.id)
  })

  test('the history is bounded: old runs are removed with their journals, open runs stay', async () => {
    const slow: Step = { id: 'wait', type: 'delay', config: { seconds: 40 * 86_400 } }
    const settings = { run_timeout_seconds: 90 * 86_400 }
    const quick = await activate(world, office, chain('workflow.task.created', [comment('Quick')]))
    const sleeper = await activate(world, office, chain('workflow.task.created', [slow], { settings }))
    await newTask()
    await settle(world.services)
    await pause(quick.id)
    await pause(sleeper.id)
    const [ended] = await runsOf(world, office, quick.id)
    world.clock.advance(automation_limits.automation_run_kept_ms)
    for (const worker of workers.filter(({ name }) => name.startsWith('automation_') && name.endsWith('_sweep'))) {
      await runWorker(world.services, worker, 'test')
    }
    assert.deepEqual(await runsOf(world, office, quick.id), [])
    assert.equal((await world.get(`/v1/automation_runs/${ended.id}?workspace=${office.workspace}`)).status, 404)
    assert.deepEqual(
      (await runsOf(world, office, sleeper.id)).map((run) => run.status),
      ['sleeping'],
    )
    const steps = query((db, p: Placeholder<{ run: string }>) =>
      db.selectFrom('automation_steps').select('run').where('run', '=', p('run')),
    )
    assert.deepEqual(await world.services.store.reader('system').all(steps, { run: ended.id }), [])
  })
})
