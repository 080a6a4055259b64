import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDesk } from '../../../test/automations/desk.ts'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld } from '../../../test/world.ts'

/** Two AI steps, one of them in a loop of three. */
function askingGraph(settings?: object) {
  const ask = (id: string) => {
    const config = { operation: 'generate', instructions: 'Say it shorter.', max_output_tokens: 100 }
    return { id, type: 'ai.step', config }
  }
  return {
    schema_version: 1,
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      ask('once'),
      { id: 'all', type: 'for_each', config: { items: { $expr: 'task.labels' }, max_items: 3 } },
      { ...ask('each'), parent: 'all' },
    ],
    edges: [
      { source: 'by_hand', target: 'once' },
      { source: 'once', target: 'all' },
    ],
    ...(settings === undefined ? {} : { settings }),
  }
}

const echo = { ATRIUM_AI_PROVIDER: 'echo', ATRIUM_AI_BUDGET_MINOR_PER_DAY: '500' }

onEveryEngine('a flow with AI steps', (engine) => {
  async function trial(environment: Record<string, string>, graph: object, ai_cost_acknowledged?: boolean) {
    const world = await openWorld(engine, { environment })
    try {
      const desk = await openDesk(world)
      const flow = await desk.draft(graph)
      assert.equal(flow.uses_ai, true)
      const preview = await desk.preview(flow.id)
      const body = {
        ...{ workspace: desk.workspace, preview_token: preview.preview_token, scope_acknowledged: true },
        ...(ai_cost_acknowledged === undefined ? {} : { ai_cost_acknowledged }),
      }
      return { preview, reply: await world.post(`/v1/automation_flows/${flow.id}/activate`, body) }
    } finally {
      await world.close()
    }
  }

  it('shows the maximum requests and cost of a run, and is activated when the cost is acknowledged', async () => {
    const { preview, reply } = await trial(echo, askingGraph(), true)
    assert.equal(reply.status, 200, reply.text)
    const { cost_minor_per_run_max: cost, ...terms } = preview.ai_cost
    assert.deepEqual(terms, {
      acknowledgement_required: true,
      provider: 'echo',
      model: null,
      requests_per_run_max: 4,
      output_tokens_per_run_max: 400,
      budget_minor_per_day: 500,
    })
    assert.ok(cost > 0 && cost < 500, String(cost))
  })

  it('is not activated without the acknowledgement', async () => {
    for (const acknowledged of [undefined, false]) {
      const { reply } = await trial(echo, askingGraph(), acknowledged)
      assertRefused(reply, 'invalid_request_body', 'ai_cost_acknowledged')
    }
  })

  it('is not activated without a provider or a budget, and the preview warns of that', async () => {
    const refused: [Record<string, string>, object, RegExp][] = [
      [{}, askingGraph(), /no AI provider/],
      [{ ...echo, ATRIUM_AI_BUDGET_MINOR_PER_DAY: '0' }, askingGraph(), /ATRIUM_AI_BUDGET_MINOR_PER_DAY/],
      [echo, askingGraph({ ai_budget_minor_per_day: 0 }), /ai_budget_minor_per_day/],
    ]
    for (const [environment, graph, why] of refused) {
      const { preview, reply } = await trial(environment, graph, true)
      assertRefused(reply, 'resource_conflict', null)
      assert.match(reply.body.error.message, why)
      const [warning] = preview.warnings.filter(({ code }: { code: string }) => code === 'ai_unavailable')
      assert.match(warning.message, why)
    }
  })
})
