/** What starts runs, and what prevents them (contract/16#run-start). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationEventsWorker } from '../../src/workers/automations/events.ts'
import { loseEvents } from '../lost-events.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { type ActiveOptions, activate, begin, openOffice, runsOf } from './served.ts'

interface Watch {
  readonly trigger?: object
  readonly settings?: object
}

/** A flow that comments on the task of an event. */
function commenting({ trigger = {}, settings = {} }: Watch = {}) {
  return {
    schema_version: 1,
    settings,
    nodes: [
      { id: 'on', type: 'trigger.event', config: { event_types: ['workflow.task.created'], ...trigger } },
      { id: 'say', type: 'task.comment', config: { body: 'Seen' } },
    ],
    edges: [{ source: 'on', target: 'say' }],
  }
}

onEveryWorld('starting runs', (world) => {
  const office = openFirst(() => openOffice(world))

  async function flowOf(graph: object, options?: ActiveOptions): Promise<string> {
    return (await activate(world, office, graph, options)).id
  }

  async function newTask(fields: object = {}): Promise<string> {
    return (await world.make('/v1/tasks', { workspace: office.workspace, title: 'A task', ...fields })).id
  }

  async function statuses(flow: string) {
    return (await runsOf(world, office, flow)).map((run) => [run.status, run.status_reason])
  }

  async function pause(flow: string): Promise<void> {
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: office.workspace })
  }

  test('a realm has at most 200 active flows', async () => {
    const made: string[] = []
    for (let i = 0; i < 200; i++) made.push(await flowOf(commenting()))
    const { workspace, task } = office
    const flow = await world.make('/v1/automation_flows', { workspace, name: 'One too many', graph: commenting() })
    const preview = await world.make(`/v1/automation_flows/${flow.id}/preview`, { workspace, task })
    const reply = await world.post(`/v1/automation_flows/${flow.id}/activate`, {
      workspace,
      preview_token: preview.preview_token,
      scope_acknowledged: true,
    })
    assert.equal(reply.status, 409)
    assert.equal(reply.body.error.code, 'resource_conflict')
    assert.match(reply.body.error.message, /200 flows are active/)
    for (const id of made) await pause(id)
  })

  test('an event starts one run, however often and from whatever position the log is read', async () => {
    const flow = await flowOf(commenting())
    const task = await newTask()
    const look = () => automationEventsWorker.run(world.services, 50, new AbortController().signal)
    await Promise.all([look(), look(), look()])
    await begin(world.services)
    const [run, ...others] = await runsOf(world, office, flow)
    assert.deepEqual(others, [])
    assert.deepEqual([run.status, run.task, run.flow_version, run.depth], ['queued', task, 1, 0])
    assert.equal(run.trigger.type, 'trigger.event')
    assert.equal(run.trigger.node, 'on')
    const event = (await world.get(`/v1/events/${run.trigger.event}`)).body
    assert.deepEqual([event.type, event.data.object.id], ['workflow.task.created', task])
    await pause(flow)
  })

  test('events that use the numbers of events lost in a failover start runs, and none starts two', async () => {
    const flow = await flowOf(commenting())
    const before = await newTask()
    await begin(world.services)
    const { sequence } = (await world.get('/v1/events?limit=1')).body.data[0]
    for (let i = 0; i < 3; i++) await newTask()
    await begin(world.services)
    const lost = (await runsOf(world, office, flow)).map((run) => run.task)
    await loseEvents(world, sequence)
    const made = [await newTask(), await newTask()]
    await begin(world.services)
    const tasks = (await runsOf(world, office, flow)).map((run) => run.task)
    assert.deepEqual(tasks.filter((task) => !lost.includes(task)).toSorted(), made.toSorted())
    assert.deepEqual([tasks.filter((task) => task === before).length, tasks.length], [1, 6])
    await pause(flow)
  })

  test('the start of a run is an event, and the flow shows when it last ran', async () => {
    const flow = await flowOf(commenting())
    await newTask()
    await world.markWritten()
    await begin(world.services)
    await world.assertWritten({ events: ['automation.run.queued'], audit: ['automation_runs.start'] })
    const shown = (await world.get(`/v1/automation_flows/${flow}`)).body
    assert.equal(shown.last_run_at, Math.floor(world.clock.now() / 1000))
    await pause(flow)
  })

  test('events from before the activation or during a pause start nothing', async () => {
    await newTask()
    const flow = await flowOf(commenting())
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [])
    await pause(flow)
    await newTask()
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [])
  })

  test('a flow of a project is started only by tasks that were in the project at the event', async () => {
    const other = await world.make('/v1/projects', { workspace: office.workspace, name: 'Other' })
    const flow = await flowOf(commenting(), { project: office.project })
    const inside = await newTask({ project: office.project })
    await newTask({ project: other.id })
    await newTask()
    await world.post(`/v1/tasks/${inside}/move`, { workspace: office.workspace, project: other.id })
    await begin(world.services)
    assert.deepEqual(
      (await runsOf(world, office, flow)).map((run) => run.task),
      [inside],
    )
    await pause(flow)
  })

  test('events of another workspace or organization start nothing', async () => {
    const flow = await flowOf(commenting())
    const elsewhere = await world.make('/v1/workspaces', { title: 'Elsewhere' })
    await world.make('/v1/tasks', { workspace: elsewhere.id, title: 'Not here' })
    const foreign = await world.make('/v1/workspaces', { title: 'Foreign' }, { key: world.globex.key })
    await world.make('/v1/tasks', { workspace: foreign.id, title: 'Not here' }, { key: world.globex.key })
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [])
    await pause(flow)
  })

  test('changed_fields and when restrict the events that start runs', async () => {
    const trigger = {
      event_types: ['workflow.task.updated'],
      changed_fields: ['priority', 'custom_fields.size'],
      when: "task.priority == 'high' && before.priority != 'high' || has(task.custom_fields.size)",
    }
    const flow = await flowOf(commenting({ trigger }))
    const task = await newTask()
    const change = (fields: object) => world.patch(`/v1/tasks/${task}`, { workspace: office.workspace, ...fields })
    await change({ title: 'Other title' })
    await begin(world.services)
    await change({ priority: 'low' })
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [])
    await change({ priority: 'high' })
    await begin(world.services)
    await change({ custom_fields: { size: 3 } })
    await begin(world.services)
    assert.equal((await statuses(flow)).length, 2)
    await pause(flow)
  })

  test('a when that cannot be evaluated leaves a skipped run with the reason', async () => {
    const flow = await flowOf(commenting({ trigger: { when: 'int(task.custom_fields.size) > 3' } }))
    await newTask()
    await begin(world.services)
    const [run] = await runsOf(world, office, flow)
    assert.deepEqual([run.status, run.status_reason, run.failure.node], ['skipped', 'trigger_failed', 'on'])
    assert.match(run.failure.message, /config\.when/)
    assert.notEqual(run.ended_at, null)
    await pause(flow)
  })

  test('a run above the hourly limit is skipped, and the next hour starts at zero', async () => {
    const flow = await flowOf(commenting({ settings: { max_runs_per_hour: 2 } }))
    for (let i = 0; i < 3; i++) await newTask()
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [
      ['queued', null],
      ['queued', null],
      ['skipped', 'hourly_limit'],
    ])
    world.clock.advance(60 * 60_000)
    await newTask()
    await begin(world.services)
    assert.deepEqual((await statuses(flow)).at(-1), ['queued', null])
    await pause(flow)
  })

  test('a flow has at most a thousand open runs; the next one is skipped', async () => {
    const flow = await flowOf(commenting({ settings: { max_runs_per_hour: 3600 } }))
    for (let i = 0; i < 11; i++) {
      const data = Array.from({ length: 100 }, (_, n) => ({ title: `Task ${n}` }))
      await world.make('/v1/tasks/batch', { workspace: office.workspace, data })
    }
    await begin(world.services)
    const all = await statuses(flow)
    assert.equal(all.filter(([status]) => status === 'queued').length, 1000)
    assert.equal(all.filter(([, reason]) => reason === 'queue_full').length, 100)
    await pause(flow)
  })

  test('on_conflict skip skips a run while another run of the task is open', async () => {
    const trigger = { event_types: ['workflow.task.updated'] }
    const flow = await flowOf(commenting({ trigger, settings: { concurrency: { on_conflict: 'skip' } } }))
    const task = await newTask()
    const other = await newTask()
    for (const [id, title] of [
      [task, 'One'],
      [task, 'Two'],
      [other, 'Three'],
    ]) {
      await world.patch(`/v1/tasks/${id}`, { workspace: office.workspace, title })
    }
    await begin(world.services)
    assert.deepEqual(await statuses(flow), [
      ['queued', null],
      ['skipped', 'concurrency'],
      ['queued', null],
    ])
    await pause(flow)
  })

  test('on_conflict cancel_previous cancels the open run in the name of the flow', async () => {
    const trigger = { event_types: ['workflow.task.updated'] }
    const flow = await flowOf(commenting({ trigger, settings: { concurrency: { on_conflict: 'cancel_previous' } } }))
    const task = await newTask()
    for (const title of ['One', 'Two', 'Three']) {
      await world.patch(`/v1/tasks/${task}`, { workspace: office.workspace, title })
    }
    await begin(world.services)
    const runs = await runsOf(world, office, flow)
    assert.deepEqual(
      runs.map((run) => [run.status, run.status_reason, run.canceled_by?.id ?? null]),
      [
        ['canceled', 'superseded', flow],
        ['canceled', 'superseded', flow],
        ['queued', null, null],
      ],
    )
    await pause(flow)
  })

  test('debounced events start one run, for the last of them, after a quiet period', async () => {
    const trigger = { event_types: ['workflow.task.updated'] }
    const flow = await flowOf(commenting({ trigger, settings: { debounce_seconds: 60 } }))
    const task = await newTask()
    let last = ''
    for (const title of ['One', 'Two', 'Three']) {
      await world.patch(`/v1/tasks/${task}`, { workspace: office.workspace, title })
      await begin(world.services)
      world.clock.advance(30_000)
      last = title
    }
    const runs = await runsOf(world, office, flow)
    assert.equal(runs.length, 1)
    const event = (await world.get(`/v1/events/${runs[0].trigger.event}`)).body
    assert.equal(event.data.object.title, last)
    assert.equal(runs[0].wake_at, Math.floor(world.clock.now() / 1000) + 30)
    await pause(flow)
  })
})
