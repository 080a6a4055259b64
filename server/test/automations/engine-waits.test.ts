/** Runs that wait, that are ended from outside, and that may not continue. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import type { AutomationRunRow } from '../../src/db/schema.ts'
import { findRun } from '../../src/resources/automation_runs/queries.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'
import { chain, comment, delay } from './graphs.ts'

const byId = query((db, p: Placeholder<{ realm: number; id: string }>) =>
  db
    .selectFrom('automation_flows')
    .select(['consecutive_failures', 'revision'])
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

onEveryWorld('a run of an automation', (world) => {
  const desk = openFirst(() => openDesk(world))

  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body
  const drain = () => drainRuns(world.services)
  const start = async (flow: string) => (await startByHand(world.services, flow, desk.task)).id

  async function row(id: string): Promise<AutomationRunRow> {
    const found = await findRun(world.services.store.reader('system'), { realm: world.acme.realms.live, id })
    assert.ok(found)
    return found
  }

  /** Activates the graph, starts a run by hand and executes it until it ends or waits. */
  async function carryOut(graph: object, options: Parameters<Desk['activate']>[1] = {}) {
    const flow = (await desk.activate(graph, options)).id
    const run = await start(flow)
    await drain()
    return { flow, run }
  }

  const said = async () => {
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}&limit=100`)).body
    return data.map((one: { body: string }) => one.body) as string[]
  }

  it('sleeps without a lease, exactly until its time', async () => {
    const { run } = await carryOut(chain(delay('nap', 3600), comment('after_nap')))
    const asleep = await row(run)
    const wake_at = world.clock.now() + 3_600_000
    const { status, current_node, lease_owner, lease_until, due_at, holds_slot } = asleep
    assert.deepEqual(
      { status, current_node, lease_owner, lease_until, due_at, holds_slot, wake_at: asleep.wake_at },
      {
        status: 'sleeping',
        current_node: 'nap',
        lease_owner: null,
        lease_until: null,
        due_at: wake_at,
        holds_slot: 1,
        wake_at,
      },
    )
    world.clock.advance(3_599_999)
    assert.equal(await drain(), 0)
    assert.equal((await shown(run)).wake_at, wake_at / 1000)
    world.clock.advance(1)
    assert.equal(await drain(), 1)
    const ended = await shown(run)
    assert.deepEqual([ended.status, ended.wake_at], ['succeeded', null])
    const [nap] = ended.steps
    assert.deepEqual([nap.started_at, nap.ended_at], [wake_at / 1000 - 3600, wake_at / 1000])
    assert.ok((await said()).includes('after_nap'))
  })

  it('sleeps in a loop once per item', async () => {
    const graph = chain({ id: 'each', type: 'for_each', config: { items: { $expr: '[1, 2, 3]' }, max_items: 3 } })
    graph.nodes.push(
      { ...delay('rest', 60), parent: 'each' },
      { ...comment('lap', { $template: 'lap {{ item }}' }), parent: 'each' },
    )
    graph.edges.push({ source: 'rest', target: 'lap' })
    const { run } = await carryOut(graph)
    for (const item of [1, 2, 3]) {
      assert.equal((await shown(run)).status, 'sleeping')
      assert.equal((await said()).includes(`lap ${item}`), false)
      world.clock.advance(60_000)
      await drain()
      assert.ok((await said()).includes(`lap ${item}`))
    }
    const { status, steps } = await shown(run)
    assert.deepEqual([status, steps.length], ['succeeded', 7])
  })

  it('continues at once if the time to wait for has passed, or fails with if_past fail', async () => {
    const at = Math.floor(world.clock.now() / 1000) - 5
    const wait = (if_past: string) => chain({ id: 'until', type: 'wait_until', config: { at, if_past } })
    const { run } = await carryOut(wait('continue'))
    assert.equal((await shown(run)).status, 'succeeded')
    const strict = await carryOut(wait('fail'))
    assert.equal((await shown(strict.run)).failure.code, 'wait_is_past')
  })

  it('can be canceled while asleep: it does nothing further, and the next run gets its slot', async () => {
    const { flow, run } = await carryOut(chain(delay('nap', 60), comment('never')))
    const second = await start(flow)
    await drain()
    assert.deepEqual([(await row(second)).status, (await row(second)).due_at], ['queued', null])
    await world.markWritten()
    const reply = await world.post(`/v1/automation_runs/${run}/cancel`, { workspace: desk.workspace })
    assert.deepEqual([reply.body.status, reply.body.status_reason, reply.body.failure], ['canceled', 'canceled', null])
    await drain()
    assert.equal((await row(second)).status, 'sleeping')
    world.clock.advance(60_000)
    await drain()
    assert.deepEqual([(await row(run)).status, (await row(second)).status], ['canceled', 'succeeded'])
    assert.equal((await said()).filter((body) => body === 'never').length, 1)
  })

  it('fails when it exceeds its timeout, also during a sleep', async () => {
    const graph = { ...chain(delay('nap', 3600), comment('too_late')), settings: { run_timeout_seconds: 600 } }
    const { run } = await carryOut(graph)
    assert.equal((await row(run)).due_at, world.clock.now() + 600_000)
    world.clock.advance(600_000)
    await drain()
    const { status, failure } = await shown(run)
    assert.deepEqual([status, failure.code, failure.node], ['failed', 'run_timeout', 'nap'])
    assert.equal((await said()).includes('too_late'), false)
  })

  it('starts in the order of the queue, with at most the flow’s limit at the same time', async () => {
    const graph = { ...chain(delay('nap', 60)), settings: { concurrency: { scope: 'flow', limit: 2 } } }
    const flow = (await desk.activate(graph)).id
    const runs = [await start(flow), await start(flow), await start(flow), await start(flow)]
    await drain()
    const states = async () => (await Promise.all(runs.map(row))).map(({ status }) => status)
    assert.deepEqual(await states(), ['sleeping', 'sleeping', 'queued', 'queued'])
    await world.post(`/v1/automation_runs/${runs[0]}/cancel`, { workspace: desk.workspace })
    await drain()
    assert.deepEqual(await states(), ['canceled', 'sleeping', 'sleeping', 'queued'])
    world.clock.advance(60_000)
    await drain()
    assert.deepEqual(await states(), ['canceled', 'succeeded', 'succeeded', 'sleeping'])
    world.clock.advance(60_000)
    await drain()
    assert.equal((await states())[3], 'succeeded')
  })

  it('that is queued when its flow is paused is skipped, and so are the runs after it; one that has begun continues', async () => {
    const { flow, run } = await carryOut(chain(delay('nap', 60), comment('paused_meanwhile')))
    const others = [await start(flow), await start(flow)]
    await drain()
    await world.make(`/v1/automation_flows/${flow}/pause`, { workspace: desk.workspace, reason: 'Enough' })
    world.clock.advance(60_000)
    await drain()
    assert.equal((await shown(run)).status, 'succeeded')
    for (const other of others) {
      const { status, status_reason, steps } = await shown(other)
      assert.deepEqual([status, status_reason, steps], ['skipped', 'flow_paused', []])
    }
  })

  it('fails at its next step with insufficient_scope when its credential was deleted, has expired or has lost its scope', async () => {
    const key = await world.key({ expiresAt: world.clock.now() + 3_600_000 })
    const call = { key: key.secret }
    const expiring = await carryOut(chain(delay('nap', 3600), comment('no_more')), { call })
    const doomed = await world.key()
    const revoked = await carryOut(chain(delay('nap', 60), comment('no_more')), { call: { key: doomed.secret } })
    const narrowed = await world.key()
    const lesser = await carryOut(chain(delay('nap', 60), comment('no_more')), { call: { key: narrowed.secret } })
    await world.delete(`/v1/api_keys/${doomed.id}`)
    const setScopes = query((db, p: Placeholder<{ scopes: string; id: string }>) =>
      db
        .updateTable('credentials')
        .set({ scopes: p('scopes') })
        .where('id', '=', p('id')),
    )
    const scopes = JSON.stringify(['tasks:read', 'automations:write'])
    await world.services.store.write('system', async (tx) => tx.write(setScopes, { scopes, id: narrowed.id }))
    world.clock.advance(60_000)
    await drain()
    const gone = await shown(revoked.run)
    assert.deepEqual([gone.failure.code, gone.failure.node], ['insufficient_scope', 'no_more'])
    const less = await shown(lesser.run)
    assert.deepEqual(
      [less.failure.code, less.failure.message],
      ['insufficient_scope', 'The step requires the scope comments:write, which the flow no longer has.'],
    )
    world.clock.advance(3_540_000)
    await drain()
    assert.equal((await shown(expiring.run)).failure.code, 'insufficient_scope')
    assert.equal((await said()).includes('no_more'), false)
  })

  it('that fails counts: after pause_after_failures in a row the flow is paused with the reason', async () => {
    const graph = {
      ...chain({ id: 'end', type: 'stop', config: { outcome: 'failed' } }),
      settings: { pause_after_failures: 3 },
    }
    const flow = (await desk.activate(graph)).id
    const realm = world.acme.realms.live
    const flowRow = async () => await world.services.store.reader('system').first(byId, { realm, id: flow })
    const before = await flowRow()
    for (const failures of [1, 2]) {
      await start(flow)
      await drain()
      assert.deepEqual(await flowRow(), { consecutive_failures: failures, revision: before?.revision })
    }
    const last = await start(flow)
    await world.markWritten()
    await drain()
    await world.assertWritten({
      events: ['automation.run.started', 'automation.run.failed', 'automation.flow.paused'],
      audit: ['automation_flows.pause'],
    })
    const paused = (await world.get(`/v1/automation_flows/${flow}`)).body
    assert.deepEqual([paused.status, paused.pause_origin], ['paused', 'system'])
    assert.equal(paused.pause_reason, `3 runs in a row have failed, the last one (${last}) with stopped.`)
  })

  it('in shadow mode records what it would change and changes nothing', async () => {
    const graph = chain(
      { id: 'change', type: 'task.update', config: { set: { title: 'Shadowed' } } },
      comment('unsaid'),
      { id: 'call', type: 'http.request', config: { method: 'POST', url: 'https://example.com/hook' } },
      delay('nap', 60),
    )
    const flow = (await desk.activate(graph, { mode: 'shadow' })).id
    const run = await start(flow)
    await world.markWritten()
    await drain()
    world.clock.advance(60_000)
    await drain()
    await world.assertWritten({ events: ['automation.run.started', 'automation.run.succeeded'], audit: [] })
    const { status, mode, steps, usage } = await shown(run)
    assert.deepEqual([status, mode, usage.http_requests], ['succeeded', 'shadow', 0])
    const waits = steps.map((step: { reason: string; changes: { type: string }[] }) => [
      step.reason,
      step.changes[0]?.type,
    ])
    assert.deepEqual(waits, [
      ['shadow', 'workflow.task.updated'],
      ['shadow', 'workflow.comment.created'],
      ['shadow', undefined],
      [null, undefined],
    ])
    assert.equal((await world.get(`/v1/tasks/${desk.task}`)).body.title, 'Write it down')
    assert.equal((await said()).includes('unsaid'), false)
  })
})
