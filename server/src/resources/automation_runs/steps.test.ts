/** What the steps of a run received and returned: exact, bounded and without secrets. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openDesk } from '../../../test/automations/desk.ts'
import { chain, type Node } from '../../../test/automations/graphs.ts'
import { answer, openReceiver, type Receiver } from '../../../test/receiver.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'
import { drainRuns } from '../../workers/automations/runs.ts'
import type { AutomationRunSteps } from './automation_run_steps.ts'
import { startByHand } from './start-by-hand.ts'

onEveryWorld('steps of a run', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver
  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver?.close())

  async function start(...steps: readonly Node[]): Promise<string> {
    const flow = await desk.activate(chain(...steps))
    return (await startByHand(world.services, flow.id, desk.task)).id
  }

  async function stepsOf(run: string, query = ''): Promise<AutomationRunSteps> {
    const reply = await world.get(`/v1/automation_runs/${run}/steps?workspace=${desk.workspace}${query}`)
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
    return reply.body
  }

  it('show the computed settings and what later steps see, with start and duration', async () => {
    const set = {
      title: { $template: '{{ task.title }}!' },
      custom_fields: { api_token: 'hush', round: { $expr: '1 + 1' } },
    }
    const run = await start(
      { id: 'change', type: 'task.update', config: { set } },
      { id: 'ask', type: 'condition', config: { expr: 'task.title.endsWith("!")' } },
    )
    await drainRuns(world.services)
    const { steps, has_more } = await stepsOf(run)
    const title = (await world.get(`/v1/tasks/${desk.task}`)).body.title
    const [change, ask] = steps
    assert.deepEqual(JSON.parse(change?.input ?? ''), { set: { title, custom_fields: { api_token: '…', round: 2 } } })
    const { task } = JSON.parse(change?.output ?? '') as { task: { title: string; custom_fields: object } }
    assert.deepEqual([task.title, task.custom_fields], [title, { api_token: '…', round: 2 }])
    const { input, output, port, attempts, cost_minor, duration_ms, started_at } = ask ?? assert.fail('no second step')
    assert.deepEqual([input, output, port], [null, '{"result":true}', 'true'])
    assert.deepEqual([attempts, cost_minor, duration_ms], [[], 0, 0])
    assert.deepEqual([started_at, has_more], [Math.floor(world.clock.now() / 1000), false])
  })

  it('keep what a step received that failed, and cut a long text', async () => {
    const body = 'long '.repeat(1500)
    const run = await start(
      { id: 'say', type: 'task.comment', config: { body } },
      { id: 'move', type: 'task.move', config: { column: desk.id('other_column') } },
    )
    await drainRuns(world.services)
    const [say, move] = (await stepsOf(run)).steps
    assert.deepEqual([say?.is_input_cut, say?.input?.length, say?.input?.at(-1)], [true, 4001, '…'])
    assert.equal(move?.status, 'failed')
    assert.deepEqual([move?.is_input_cut, move?.input], [false, JSON.stringify({ column: desk.id('other_column') })])
  })

  it('show each attempt of an outside call, of one node alone if asked, without secrets in addresses', async () => {
    const url = `${receiver.url}?token=hush&page=2`
    const run = await start(
      { id: 'say', type: 'task.comment', config: { body: 'first' } },
      { id: 'call', type: 'http.request', config: { method: 'POST', url, body: { password: 'hush', size: 3 } } },
    )
    receiver.respond = answer(503)
    const sent_at = Math.floor(world.clock.now() / 1000)
    await drainRuns(world.services)
    world.clock.advance(600_000)
    receiver.respond = answer(200, { 'content-type': 'application/json' }, '{"ok":true,"secret":"hush"}')
    await drainRuns(world.services)
    const { steps } = await stepsOf(run, '&node=call')
    assert.deepEqual(
      steps.map(({ node }) => node),
      ['call'],
    )
    const [call] = steps
    const sent = JSON.parse(call?.input ?? '') as { url: string; body: object }
    assert.equal(sent.url, `${receiver.url}?token=…&page=2`)
    assert.deepEqual(sent.body, { password: '…', size: 3 })
    assert.doesNotMatch(JSON.stringify(call), /hush/)
    assert.deepEqual(
      call?.attempts.map(({ attempt, http_status, outcome }) => [attempt, http_status, outcome]),
      [
        [1, 503, 'http_status'],
        [2, 200, 'succeeded'],
      ],
    )
    assert.deepEqual([call?.started_at, call?.duration_ms], [sent_at, 600_000])
    assert.deepEqual((await stepsOf(run, '&node=nothing')).steps, [])
  })

  it('show the latest 20 of more, in order', async () => {
    const items = { $expr: `[${Array.from({ length: 25 }, (_, i) => i).join()}]` }
    const each = { id: 'each', type: 'for_each', config: { items, max_items: 50 } }
    const say = { id: 'say', type: 'task.comment', parent: 'each', config: { body: { $template: 'no. {{ item }}' } } }
    const { nodes, ...graph } = chain(each)
    const flow = await desk.activate({ ...graph, nodes: [...nodes, say] })
    const { id: run } = await startByHand(world.services, flow.id, desk.task)
    await drainRuns(world.services)
    const { steps, has_more } = await stepsOf(run)
    assert.deepEqual(
      steps.map(({ path }) => path),
      Array.from({ length: 20 }, (_, i) => [i + 5]),
    )
    assert.deepEqual([steps.at(-1)?.input, has_more], ['{"body":"no. 24"}', true])
    assert.equal((await stepsOf(run, '&node=each')).has_more, false)
  })
})
