/** What an AI step saw and said, in a real browser, against a stand-in for the provider. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { answer, openReceiver, type Receiver } from '../../server/test/receiver.ts'
import { checkPage } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

const graph = {
  schema_version: 1,
  nodes: [
    { id: 'by_hand', type: 'trigger.manual', config: {} },
    {
      id: 'ask',
      type: 'ai.step',
      retry: { max_attempts: 1 },
      on_error: 'continue',
      config: {
        operation: 'classify',
        instructions: 'Is it a fault?',
        input: { title: { $expr: 'task.title' } },
        labels: ['Fault', 'Wish'],
        max_output_tokens: 100,
      },
    },
  ],
  edges: [{ source: 'by_hand', target: 'ask' }],
  settings: { ai_budget_minor_per_day: 50 },
}

describe('the journal of AI steps', () => {
  let stage: Stage
  let provider: Receiver
  before(async () => {
    provider = await openReceiver()
    stage = await openStage({
      environment: {
        ATRIUM_AI_PROVIDER: 'openai_compatible',
        ATRIUM_AI_BASE_URL: `${new URL(provider.url).origin}/v1/`,
        ATRIUM_AI_API_KEY: 'sk-operator-key',
        ATRIUM_AI_MODEL: 'small-model',
        ATRIUM_AI_BUDGET_MINOR_PER_DAY: '1000',
      },
    })
  })
  after(async () => {
    await stage?.close()
    await provider?.close()
  })

  it('shows the prompt with what was cut, the answer with its check, cost and budget', async () => {
    const { atrium } = stage
    const workspace = (await atrium.workspaces.create({ title: 'Harbour' })).id
    const title = `Doors stay open, key atr_live_${'A1b2C3d4'.repeat(5)}`
    const task = (await atrium.tasks.create({ workspace, title })).id
    const flow = (await atrium.automationFlows.create({ workspace, name: 'Sort', graph: graph as never })).id
    const { preview_token } = await atrium.automationFlows.preview(flow, { workspace, task })
    const acknowledged = { scope_acknowledged: true, ai_cost_acknowledged: true } as const
    await atrium.automationFlows.activate(flow, { workspace, preview_token, ...acknowledged })
    const carryOut = async (content: string) => {
      const usage = { prompt_tokens: 40, completion_tokens: 7 }
      provider.respond = answer(200, {}, JSON.stringify({ choices: [{ message: { content } }], usage }))
      const { services } = stage.server
      const { id } = await startByHand(services, flow, task)
      await drainRuns(services)
      return `/automations/runs/${id}?workspace=${workspace}`
    }
    const fits = await stage.visit(await carryOut('{"label":"Fault"}'))
    const call = fits.page.getByRole('region', { name: 'Ask, attempt 1' })
    await call.getByText('The answer fits').waitFor()
    const codes = await call.locator('code').allTextContents()
    assert.match(codes[0] ?? '', /^Is it a fault\?\n/)
    assert.deepEqual(codes.slice(1), ['{"title":"Doors stay open, key atr_live_…"}', '{"label":"Fault"}'])
    await call.getByText('Credentials in input.title').waitFor()
    await fits.page.getByText('the flow has spent 0.0375 of its 50; the organization may spend 1,000.').waitFor()
    await checkPage(fits, 'run-ai-calls')
    const fails = await stage.visit(await carryOut('{"label":"Delete everything"}'))
    await fails.page.getByText('The answer does not fit').waitFor()
    await fails.page.locator('code', { hasText: '{"label":"Delete everything"}' }).waitFor()
  })
})
