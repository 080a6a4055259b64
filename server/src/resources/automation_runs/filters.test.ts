/** Lists of runs by state and time: exact, page by page, and without reading runs of other states or times. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Desk, openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { planRecorder } from '../../../test/plan-recorder.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { updateQuery } from '../../db/query.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import type { RunStatus } from './automation_run.ts'
import { runsBefore } from './queries/list.ts'
import { startByHand } from './start-by-hand.ts'

const path = '/v1/automation_runs'

onEveryWorld('filters of runs', (world, engine) => {
  let desk: Desk
  let flows: string[]
  let runs: string[]
  let times: number[]
  before(async () => {
    // Later than ids that the process may have made by the machine's clock.
    world.clock.advance(Date.now() + 86_400_000 - world.clock.now())
    desk = await openDesk(world)
    flows = [(await desk.activate(smallGraph())).id, (await desk.activate(smallGraph())).id]
    runs = []
    times = []
    const states: RunStatus[] = ['failed', 'succeeded', 'queued', 'failed', 'sleeping', 'skipped']
    for (const [i, status] of states.entries()) {
      world.clock.advance(60_000)
      const run = await startByHand(world.services, flows[i % 2] ?? '', desk.task)
      runs.push(run.id)
      times.push(Math.floor(world.clock.now() / 1000))
      const isOpen = status === 'queued' || status === 'sleeping'
      await set(run.id, { status, ended_at: isOpen ? null : world.clock.now() })
    }
  })

  async function set(id: string, fields: Partial<AutomationRunRow>): Promise<void> {
    const realm = world.acme.realms.live
    await world.services.store.write('system', async (tx) => {
      tx.write(updateQuery('automation_runs', Object.keys(fields)), { ...fields, realm, id })
    })
  }

  /** The numbers of the listed runs, in the order in which they were started. */
  async function list(query: string): Promise<number[]> {
    const { body } = await world.get(`${path}?workspace=${desk.workspace}&${query}`)
    return body.data.map(({ id }: { id: string }) => runs.indexOf(id))
  }

  it('select runs in one of several states, newest first, also with flow and task', async () => {
    assert.deepEqual(await list('status=failed'), [3, 0])
    assert.deepEqual(await list('status=queued'), [2])
    assert.deepEqual(await list('status=failed&status=sleeping&status[]=skipped'), [5, 4, 3, 0])
    assert.deepEqual(await list(`status=failed&automation_flow=${flows[1]}`), [3])
    assert.deepEqual(await list(`status=sleeping&automation_flow=${flows[1]}`), [])
    assert.deepEqual(await list(`status=sleeping&status=succeeded&task=${desk.task}`), [4, 1])
    assert.deepEqual(await list(`status=failed&task=${desk.id('other_task')}`), [])
    assert.deepEqual((await world.get(`${path}?workspace=${desk.id('elsewhere')}&status=failed`)).body.data, [])
  })

  it('select runs created between two times, which are exclusive', async () => {
    assert.deepEqual(await list(`created_after=${times[1]}&created_before=${times[4]}`), [3, 2])
    assert.deepEqual(
      await list(`created_after=${(times[1] ?? 0) - 1}&created_before=${(times[4] ?? 0) + 1}`),
      [4, 3, 2, 1],
    )
    assert.deepEqual(await list(`created_after=${times[5]}`), [])
    assert.deepEqual(await list('created_before=0'), [])
    assert.deepEqual(await list(`created_before=${Number.MAX_SAFE_INTEGER}&created_after=${times[4]}`), [5])
    assert.deepEqual(await list(`status=failed&created_before=${times[3]}`), [0])
  })

  it('page through several states without a gap, and bind the cursor to states and times', async () => {
    const first = await world.get(`${path}?workspace=${desk.workspace}&status=failed&status=skipped&limit=2`)
    const { next_cursor, has_more } = first.body
    assert.equal(has_more, true)
    assert.deepEqual(await list(`status=failed&status=skipped&limit=2&cursor=${next_cursor}`), [0])
    for (const other of ['status=failed', `status=failed&status=skipped&created_after=${times[0]}`, '']) {
      const reply = await world.get(`${path}?workspace=${desk.workspace}&cursor=${next_cursor}&${other}`)
      assertRefused(reply, 'cursor_filter_mismatch', 'cursor')
    }
  })

  it('select runs by the time of their end, the latest end first, also with state, flow and task', async () => {
    const ends = [500, 300, null, 300, null, 400].map((seconds) => seconds && 1_000_000 + seconds)
    for (const [i, end] of ends.entries()) await set(runs[i] ?? '', { ended_at: end === null ? null : end * 1000 })
    assert.deepEqual(await list('ended_after=1'), [0, 5, 3, 1])
    assert.deepEqual(await list('ended_after=1000300'), [0, 5])
    assert.deepEqual(await list('ended_after=1000299&ended_before=1000500'), [5, 3, 1])
    assert.deepEqual(await list('ended_before=1000301'), [3, 1])
    assert.deepEqual(await list('ended_before=1000301&status=failed&status=queued'), [3])
    assert.deepEqual(await list('ended_after=1&status=queued'), [])
    assert.deepEqual(await list(`ended_after=1&automation_flow=${flows[0]}`), [0])
    assert.deepEqual(await list(`ended_after=1&task=${desk.task}`), [0, 5, 3, 1])
    const pages: number[] = []
    for (let cursor = ''; pages.length <= runs.length; ) {
      const page = (await world.get(`${path}?workspace=${desk.workspace}&ended_after=1&limit=1${cursor}`)).body
      pages.push(...page.data.map(({ id }: { id: string }) => runs.indexOf(id)))
      if (!page.has_more) break
      cursor = `&cursor=${page.next_cursor}`
    }
    assert.deepEqual(pages, [0, 5, 3, 1])
  })

  it('refuse times of the end together with times of the creation, and a cursor of the other order', async () => {
    const both = await world.get(`${path}?workspace=${desk.workspace}&ended_before=5&created_after=1`)
    assertRefused(both, 'invalid_query_parameter', 'ended_before')
    const first = await world.get(`${path}?workspace=${desk.workspace}&ended_after=1&limit=1`)
    const other = await world.get(`${path}?workspace=${desk.workspace}&cursor=${first.body.next_cursor}`)
    assertRefused(other, 'cursor_filter_mismatch', 'cursor')
  })

  it('refuse a state that no run can be in, and say which there are', async () => {
    const reply = await world.get(`${path}?workspace=${desk.workspace}&status=done`)
    assertRefused(reply, 'invalid_query_parameter', 'status')
    assert.match(reply.body.error.message, /"done".*queued, running, .*skipped/)
  })

  it('read an index that holds the state, and of it the page only', async () => {
    const { workspace, task } = desk
    const [automation_flow = ''] = flows
    const none = {
      automation_flow: undefined,
      task: undefined,
      status: undefined,
      from: undefined,
      until: undefined,
      byEnd: false,
    }
    const indexes = [
      [{}, 'automation_runs_workspace'],
      [{ automation_flow }, 'automation_runs_flow'],
      [{ task, status: ['failed'] }, 'automation_runs_task'],
      [{ status: ['failed', 'skipped'] }, 'automation_runs_workspace_ended'],
      [{ status: ['failed'], automation_flow }, 'automation_runs_flow_ended'],
      [{ status: ['sleeping'] }, 'automation_runs_workspace_open'],
      [{ status: ['sleeping'], automation_flow }, 'automation_runs_open'],
      [{ status: ['failed'], from: 5 }, 'automation_runs_workspace_ended'],
      [{ byEnd: true, from: 5, until: 9 }, 'automation_runs_workspace_end'],
      [{ byEnd: true, from: 5, status: ['failed'], automation_flow }, 'automation_runs_flow_end'],
      [{ byEnd: true, until: 9, task }, 'automation_runs_task'],
    ] as const
    for (const [filters, index] of indexes) {
      const plans: string[] = []
      const reader = planRecorder(world.services.store.reader('system'), plans)
      await runsBefore(reader, world.acme.realms.live, { ...none, workspace, ...filters }, undefined, 21)
      assert.ok(plans.length > 0)
      for (const plan of plans) {
        if (engine !== 'sqlite') continue
        assert.match(plan, new RegExp(`USING INDEX ${index} `), `${JSON.stringify(filters)}: ${plan}`)
        // A flow has few open runs, and a task few runs.
        const isSmall = index === 'automation_runs_open' || (index === 'automation_runs_task' && 'byEnd' in filters)
        if (!isSmall) assert.doesNotMatch(plan, /TEMP B-TREE/)
      }
    }
  })
})
