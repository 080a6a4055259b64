/** Schedules and due dates start runs, also on a clock that jumps (contract/16#schedules). */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { automationClocksWorker } from '../../src/workers/automations/clocks.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { activate, begin, openOffice, runsOf } from './served.ts'

const minute = 60_000
const hour = 60 * minute

function scheduled(config: object) {
  return {
    schema_version: 1,
    settings: { max_runs_per_hour: 3600 },
    nodes: [
      { id: 'when', type: 'trigger.schedule', config: { timezone: 'UTC', ...config } },
      { id: 'make', type: 'task.create', config: { set: { title: 'Made' } } },
    ],
    edges: [{ source: 'when', target: 'make' }],
  }
}

function due(config: object) {
  return {
    schema_version: 1,
    settings: { max_runs_per_hour: 3600 },
    nodes: [
      { id: 'when', type: 'trigger.due', config },
      { id: 'say', type: 'task.comment', config: { body: 'Due' } },
    ],
    edges: [{ source: 'when', target: 'say' }],
  }
}

onEveryWorld('clocks of automations', (world) => {
  const office = openFirst(() => openOffice(world))
  let flow: string

  beforeEach(async () => {
    if (flow !== undefined) await world.post(`/v1/automation_flows/${flow}/pause`, { workspace: office.workspace })
  })

  async function arm(graph: object, at?: string): Promise<void> {
    if (at !== undefined) world.clock.set(Date.parse(at))
    flow = (await activate(world, office, graph)).id
  }

  /** Starts the runs that are due at a time. */
  async function look(at: string | number): Promise<void> {
    world.clock.set(typeof at === 'number' ? at : Date.parse(at))
    await begin(world.services)
  }

  async function begun() {
    return (await runsOf(world, office, flow)).map((run) => run.task ?? run.status)
  }

  async function task(due_at: number | string | null, fields: object = {}): Promise<string> {
    const time = typeof due_at === 'string' ? Date.parse(due_at) / 1000 : due_at
    return (await world.make('/v1/tasks', { workspace: office.workspace, title: 'A task', due_at: time, ...fields })).id
  }

  test('a schedule starts one run per firing, however often its clock is checked', async () => {
    await arm(scheduled({ cron: '0 9 * * *' }), '2027-01-10T08:00:00Z')
    await look('2027-01-10T08:59:59Z')
    assert.deepEqual(await begun(), [])
    await look('2027-01-10T09:00:00Z')
    await look('2027-01-10T09:00:01Z')
    await look('2027-01-10T23:00:00Z')
    assert.deepEqual(await begun(), ['queued'])
    await look('2027-01-11T09:00:30Z')
    assert.deepEqual(await begun(), ['queued', 'queued'])
  })

  test('more clocks than one page holds all fire, each once', async () => {
    world.clock.set(Date.parse('2027-01-11T12:00:00Z'))
    const flows: string[] = []
    for (let i = 0; i < 3; i++) flows.push((await activate(world, office, scheduled({ cron: '0 15 * * *' }))).id)
    world.clock.set(Date.parse('2027-01-11T15:00:00Z'))
    for (let look = 0; look < 2; look++) {
      await automationClocksWorker.run(world.services, 1, new AbortController().signal)
    }
    for (const id of flows) {
      assert.equal((await runsOf(world, office, id)).length, 1)
      await world.post(`/v1/automation_flows/${id}/pause`, { workspace: office.workspace })
    }
  })

  test('of several missed firings one runs later', async () => {
    await arm(scheduled({ cron: '*/30 * * * *', misfire: 'run_once' }), '2027-01-12T08:00:00Z')
    await look('2027-01-12T13:10:00Z')
    assert.deepEqual(await begun(), ['queued'])
    await look('2027-01-12T13:30:00Z')
    assert.deepEqual(await begun(), ['queued', 'queued'])
  })

  test('with misfire skip a missed firing does not run and the next one does', async () => {
    await arm(scheduled({ cron: '0 * * * *', misfire: 'skip' }), '2027-01-13T08:30:00Z')
    await look('2027-01-13T10:20:00Z')
    assert.deepEqual(await begun(), [])
    await look('2027-01-13T11:00:20Z')
    assert.deepEqual(await begun(), ['queued'])
  })

  test('a clock that jumps an hour ahead and back loses and doubles no firing', async () => {
    await arm(scheduled({ cron: '0 * * * *' }), '2027-01-14T08:30:00Z')
    await look('2027-01-14T09:30:00Z')
    await look('2027-01-14T08:31:00Z')
    for (let t = Date.parse('2027-01-14T08:32:00Z'); t <= Date.parse('2027-01-14T12:30:00Z'); t += 10 * minute) {
      await look(t)
    }
    // 9, 10, 11 and 12 o'clock.
    assert.equal((await begun()).length, 4)
  })

  test('a clock that jumps an hour back doubles no firing', async () => {
    await arm(scheduled({ cron: '0 * * * *' }), '2027-01-15T08:30:00Z')
    await look('2027-01-15T09:00:10Z')
    for (let t = Date.parse('2027-01-15T08:01:00Z'); t <= Date.parse('2027-01-15T11:30:00Z'); t += 10 * minute) {
      await look(t)
    }
    assert.equal((await begun()).length, 3)
  })

  for (const [what, from, to] of [
    ['in spring, when the hour does not exist', '2027-03-26T12:00:00Z', '2027-03-30T12:00:00Z'],
    ['in autumn, when the hour comes twice', '2027-10-29T12:00:00Z', '2027-11-02T12:00:00Z'],
  ] as const) {
    test(`a daily schedule at half past two fires once a day ${what}`, async () => {
      await arm(scheduled({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }), from)
      for (let t = Date.parse(from); t <= Date.parse(to); t += 20 * minute) await look(t)
      assert.equal((await begun()).length, 4)
    })
  }

  test('a schedule with a query starts a run per task found, oldest first, at most max_tasks', async () => {
    world.clock.set(Date.parse('2027-12-01T08:00:00Z'))
    const found: string[] = []
    for (let i = 0; i < 4; i++) found.push(await task(null, { labels: ['weekly'] }))
    await task(null)
    await arm(scheduled({ cron: '0 9 * * *', task_query: 'labels:weekly', max_tasks: 3 }))
    await look('2027-12-01T09:00:00Z')
    assert.deepEqual(await begun(), found.slice(0, 3))
  })

  test('a due trigger starts one run per due date at its time', async () => {
    await arm(due({ offset_seconds: -3600 }), '2028-01-01T08:00:00Z')
    const one = await task('2028-01-01T10:00:00Z')
    await look('2028-01-01T08:59:59Z')
    assert.deepEqual(await begun(), [])
    await look('2028-01-01T09:00:00Z')
    await look('2028-01-01T09:05:00Z')
    await look('2028-01-01T12:00:00Z')
    assert.deepEqual(await begun(), [one])
  })

  test('a new due date fires again; an earlier one that is set again does not', async () => {
    await arm(due({ offset_seconds: 0 }), '2028-02-01T08:00:00Z')
    const one = await task('2028-02-01T09:00:00Z')
    const set = (text: string) =>
      world.patch(`/v1/tasks/${one}`, { workspace: office.workspace, due_at: Date.parse(text) / 1000 })
    await set('2028-02-01T10:00:00Z')
    await look('2028-02-01T09:30:00Z')
    assert.deepEqual(await begun(), [])
    await look('2028-02-01T10:00:00Z')
    assert.deepEqual(await begun(), [one])
    await set('2028-02-01T11:00:00Z')
    await set('2028-02-01T10:00:00Z')
    await look('2028-02-01T10:00:10Z')
    assert.deepEqual(await begun(), [one])
    await set('2028-02-01T12:00:00Z')
    await look('2028-02-01T12:00:00Z')
    assert.deepEqual(await begun(), [one, one])
  })

  test('a due date in the past starts nothing', async () => {
    await arm(due({ offset_seconds: -86_400 }), '2028-03-01T08:00:00Z')
    await look('2028-03-01T12:00:00Z')
    await task('2028-03-01T18:00:00Z')
    await look('2028-03-01T12:00:01Z')
    await look('2028-03-02T12:00:00Z')
    assert.deepEqual(await begun(), [])
  })

  test('tasks that are done, deleted, undated or elsewhere start nothing; with only_open false done tasks do', async () => {
    await arm(due({ offset_seconds: 0, only_open: false }), '2028-04-01T08:00:00Z')
    const done = await task('2028-04-01T09:00:00Z', { status: 'done' })
    const gone = await task('2028-04-01T09:00:00Z')
    await world.delete(`/v1/tasks/${gone}`)
    await task(null)
    const elsewhere = await world.make('/v1/workspaces', { title: 'Elsewhere' })
    const due_at = Date.parse('2028-04-01T09:00:00Z') / 1000
    await world.make('/v1/tasks', { workspace: elsewhere.id, title: 'Not here', due_at })
    await look('2028-04-01T09:00:00Z')
    assert.deepEqual(await begun(), [done])
    await world.post(`/v1/automation_flows/${flow}/pause`, { workspace: office.workspace })
    await arm(due({ offset_seconds: 60, only_open: true }))
    await look('2028-04-01T09:01:00Z')
    assert.deepEqual(await begun(), [])
  })

  test('a clock that jumps an hour ahead and back loses no due date and doubles none', async () => {
    await arm(due({ offset_seconds: 0 }), '2028-05-01T08:00:00Z')
    const one = await task('2028-05-01T08:30:00Z')
    await look('2028-05-01T09:00:00Z')
    await look('2028-05-01T08:00:30Z')
    const two = await task('2028-05-01T08:45:00Z')
    for (let t = Date.parse('2028-05-01T08:01:00Z'); t < Date.parse('2028-05-01T10:00:00Z'); t += 5 * minute)
      await look(t)
    assert.deepEqual(await begun(), [one, two])
  })

  test('a thousand tasks that are due together each start one run', async () => {
    await arm(due({ offset_seconds: 0 }), '2028-06-01T08:00:00Z')
    const due_at = Date.parse('2028-06-01T09:00:00Z') / 1000
    for (let i = 0; i < 9; i++) {
      const data = Array.from({ length: 100 }, (_, n) => ({ title: `Task ${n}`, due_at }))
      await world.make('/v1/tasks/batch', { workspace: office.workspace, data })
    }
    await look(Date.parse('2028-06-01T09:00:00Z') + 2 * hour)
    const all = await begun()
    assert.equal(all.length, 900)
    assert.equal(new Set(all).size, 900)
  })
})
