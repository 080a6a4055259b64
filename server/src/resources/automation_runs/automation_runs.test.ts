import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk, smallGraph } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { updateQuery } from '../../db/query.ts'
import type { AutomationAttemptRow, AutomationRunRow, AutomationStepRow } from '../../db/schema.ts'
import { startByHand } from './start-by-hand.ts'

onEveryWorld('automation runs', (world) => {
  const desk = openFirst(() => openDesk(world))

  const path = '/v1/automation_runs'
  const start = (flow: string, task = desk.task) => startByHand(world.services, flow, task)
  const write = (job: (tx: Parameters<Parameters<typeof world.services.store.write>[1]>[0]) => void) =>
    world.services.store.write('system', async (tx) => job(tx))
  /** Leaves a run in the state in which its worker would. */
  const set = (run: string, fields: Partial<AutomationRunRow>) =>
    write((tx) => {
      const realm = world.acme.realms.live
      tx.write(updateQuery('automation_runs', Object.keys(fields)), { ...fields, realm, id: run })
    })

  function step(run: string, number: number): AutomationStepRow {
    const realm = world.acme.realms.live
    const now = world.clock.now()
    return {
      ...{ realm, run, number, node: 'say', path: String(number), status: 'succeeded', port: null, items: null },
      ...{ output: null, reason: null, failure: null, changes: '[]', attempts: 1, started_at: now, ended_at: now },
      reused: 0,
      correction: null,
      ...{
        input: null,
        output: null,
        reason: null,
        failure: null,
        changes: '[]',
        attempts: 1,
        started_at: now,
        ended_at: now,
      },
    }
  }

  function attempt(run: string, step: number, ended_at: number | null): AutomationAttemptRow {
    const sent_at = world.clock.now()
    return {
      ...{ realm: world.acme.realms.live, run, step, attempt: 1, node: 'say', idempotency_key: 'key', inputs: '{}' },
      ...{ sent_at, ended_at, outcome: null, http_status: null, error: null, cost_micros: 0, answer: null },
    }
  }

  it('a run is shown with its flow, trigger and task, in its workspace', async () => {
    const flow = await desk.activate(smallGraph())
    const run = await start(flow.id)
    const reply = await world.get(`${path}/${run.id}?workspace=${desk.workspace}`)
    assert.deepEqual(reply.body, {
      id: run.id,
      object: 'automation_run',
      created: 1785844800,
      updated: 1785844800,
      workspace: desk.workspace,
      automation_flow: flow.id,
      flow_version: 1,
      mode: 'live',
      task: desk.task,
      trigger: { type: 'trigger.manual', node: 'by_hand', event: null },
      status: 'queued',
      status_reason: null,
      current_node: null,
      attempt: 0,
      wake_at: null,
      started_at: null,
      ended_at: null,
      canceled_by: null,
      depth: 0,
      rerun_of: null,
      rerun_from: null,
      called_by: null,
      called_by_node: null,
      correction: null,
      usage: {
        ...{ steps: 0, http_requests: 0, ai_requests: 0 },
        ...{ ai_input_tokens: 0, ai_output_tokens: 0, ai_cost_minor: 0 },
      },
      failure: null,
      steps: [],
    })
    assertRefused(await world.get(`${path}/${run.id}`), 'invalid_query_parameter', 'workspace')
    const elsewhere = await world.get(`${path}/${run.id}?workspace=${desk.id('elsewhere')}`)
    assertRefused(elsewhere, 'resource_not_found', null)
  })

  it('are listed newest first, by workspace, flow and task, by id or key', async () => {
    const [one, two] = [await desk.activate(smallGraph()), await desk.activate(smallGraph())]
    const other = desk.id('other_task')
    const runs = [await start(one.id), await start(two.id), await start(two.id, other)]
    const list = async (query: string) => {
      const { body } = await world.get(`${path}?workspace=${desk.workspace}&${query}`)
      return body.data.map(({ id }: { id: string }) => runs.findIndex((run) => run.id === id))
    }
    assert.deepEqual(await list('limit=3'), [2, 1, 0])
    assert.deepEqual(await list(`automation_flow=${two.id}`), [2, 1])
    assert.deepEqual(await list(`automation_flow=${two.id}&task=${other}`), [2])
    assert.deepEqual(await list(`task=${(await world.get(`/v1/tasks/${other}`)).body.key}`), [2])
    assert.deepEqual((await world.get(`${path}?workspace=${desk.id('elsewhere')}`)).body.data, [])
    assertRefused(await world.get(path), 'invalid_query_parameter', 'workspace')
    for (const [name, id] of [
      ['automation_flow', 'flow_none'],
      ['task', 'tsk_none'],
      ['workspace', 'wsp_none'],
    ]) {
      const query = new URLSearchParams({ workspace: desk.workspace, [name as string]: id as string })
      assertRefused(await world.get(`${path}?${query}`), 'invalid_query_parameter', name)
    }
    const { next_cursor } = (await world.get(`${path}?workspace=${desk.workspace}&limit=1`)).body
    for (const more of [`automation_flow=${one.id}`, `task=${other}`]) {
      const reply = await world.get(`${path}?workspace=${desk.workspace}&cursor=${next_cursor}&${more}`)
      assertRefused(reply, 'cursor_filter_mismatch', 'cursor')
    }
    await world.delete(`/v1/tasks/${other}`)
    assert.deepEqual(await list(`task=${other}`), [2])
  })

  it('show the end of their journals: 200 entries for one run, 20 per run in a list', async () => {
    const { id: flow } = await desk.activate(smallGraph())
    const [long, short] = [await start(flow), await start(flow)]
    await write((tx) => {
      for (let number = 1; number <= 250; number++) tx.insert('automation_steps', step(long.id, number))
      for (let number = 1; number <= 3; number++) tx.insert('automation_steps', step(short.id, number))
    })
    await set(long.id, { steps: 250 })
    await set(short.id, { steps: 3 })
    const numbers = ({ steps }: { steps: { number: number }[] }) => steps.map(({ number }) => number)
    const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
    const shown = (await world.get(`${path}/${long.id}?workspace=${desk.workspace}`)).body
    assert.deepEqual(numbers(shown), from(51, 250))
    assert.equal(shown.usage.steps, 250)
    const { data } = (await world.get(`${path}?workspace=${desk.workspace}&automation_flow=${flow}`)).body
    assert.deepEqual(data.map(numbers), [from(1, 3), from(231, 250)])
    assert.deepEqual(data[1].steps, shown.steps.slice(-20))
  })

  it('an open run is canceled at once in each of the four states, and only once', async () => {
    const { id: flow } = await desk.activate(smallGraph())
    const asleep = { wake_at: world.clock.now() + 60_000, due_at: world.clock.now() + 60_000 }
    const states: Partial<AutomationRunRow>[] = [
      { status: 'queued' },
      { status: 'running', started_at: world.clock.now(), holds_slot: 1, current_node: 'say' },
      { status: 'sleeping', started_at: world.clock.now(), holds_slot: 1, current_node: 'say', ...asleep },
      { status: 'retrying', started_at: world.clock.now(), holds_slot: 1, current_node: 'say', ...asleep },
    ]
    for (const state of states) {
      const { id } = await start(flow)
      await set(id, state)
      const before = (await world.get(`${path}/${id}?workspace=${desk.workspace}`)).body
      await world.markWritten()
      const reply = await world.post(`${path}/${id}/cancel`, { workspace: desk.workspace })
      assert.deepEqual(reply.body, {
        ...{ ...before, status: 'canceled', status_reason: 'canceled', wake_at: null, ended_at: 1785844800 },
        canceled_by: { type: 'organization', id: world.acme.id },
      })
      await world.assertWritten({ events: ['automation.run.canceled'], audit: ['automation_runs.cancel'] })
      const [event] = (await world.get('/v1/events?limit=1')).body.data
      assert.deepEqual([event.data.object, event.data.previous_attributes.status], [reply.body, state.status])
      assert.deepEqual((await world.get(`${path}/${id}?workspace=${desk.workspace}`)).body, reply.body)
      const again = await world.post(`${path}/${id}/cancel`, { workspace: desk.workspace })
      assertRefused(again, 'resource_conflict', null)
      assert.match(again.body.error.message, /canceled/)
    }
    const { id } = await start(flow)
    const elsewhere = await world.post(`${path}/${id}/cancel`, { workspace: desk.id('elsewhere') })
    assertRefused(elsewhere, 'resource_not_found', null)
    assertRefused(await world.post(`${path}/${id}/cancel`, {}), 'invalid_request_body', 'workspace')
  })

  it('a run canceled during an outside call names the step whose call may have arrived', async () => {
    const { id: flow } = await desk.activate(smallGraph())
    const outcomes = []
    for (const ended_at of [null, world.clock.now()]) {
      const { id } = await start(flow)
      await set(id, { status: 'running', started_at: world.clock.now(), current_node: 'say', holds_slot: 1 })
      await write((tx) => tx.insert('automation_attempts', attempt(id, 1, ended_at)))
      outcomes.push((await world.post(`${path}/${id}/cancel`, { workspace: desk.workspace })).body.failure)
    }
    const [unknown, known] = outcomes
    assert.deepEqual([unknown.code, unknown.node, known], ['outcome_unknown', 'say', null])
    assert.match(unknown.message, /say \(attempt 1\)/)
  })

  it('runs that have ended cannot be canceled', async () => {
    const { id: flow } = await desk.activate(smallGraph())
    for (const status of ['succeeded', 'failed', 'skipped']) {
      const { id } = await start(flow)
      await set(id, { status, ended_at: world.clock.now(), due_at: null })
      await world.markWritten()
      const reply = await world.post(`${path}/${id}/cancel`, { workspace: desk.workspace })
      assertRefused(reply, 'resource_conflict', null)
      await world.assertWritten({ events: [], audit: [] })
    }
  })
})
