/** AI steps: their requests, the accepted answers, and their budgets. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { type EngineName, onEveryEngine } from '../engines.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { openWorld, type World } from '../world.ts'
import { type Desk, openDesk } from './desk.ts'
import { type Chain, chain, comment, type Node } from './graphs.ts'

const usageOf = query((db, p: Placeholder<{ organization: string }>) =>
  db
    .selectFrom('automation_ai_usage')
    .select(['day', 'requests', 'input_tokens', 'output_tokens', 'cost_micros'])
    .where('organization', '=', p('organization'))
    .orderBy('day')
    .orderBy('cost_micros'),
)

const ask = (config: object, more: object = {}): Node => ({
  id: 'ask',
  type: 'ai.step',
  config: { instructions: 'Look at it.', input: { title: { $expr: 'task.title' } }, max_output_tokens: 100, ...config },
  ...more,
})

class Office {
  readonly world: World
  readonly desk: Desk

  constructor(world: World, desk: Desk) {
    this.world = world
    this.desk = desk
  }

  async activate(graph: object): Promise<string> {
    const { world, desk } = this
    const { id } = await desk.draft(graph)
    const { preview_token } = await desk.preview(id)
    const acknowledged = { scope_acknowledged: true, ai_cost_acknowledged: true }
    await world.make(`/v1/automation_flows/${id}/activate`, {
      workspace: desk.workspace,
      preview_token,
      ...acknowledged,
    })
    return id
  }

  async carryOut(graph: object) {
    return await this.again(await this.activate(graph))
  }

  async again(flow: string) {
    const { world, desk } = this
    const { id } = await startByHand(world.services, flow, desk.task)
    await drainRuns(world.services)
    return (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body
  }

  async lastComment(): Promise<string> {
    const { world, desk } = this
    return (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}`)).body.data[0].body
  }

  async usage() {
    const { world } = this
    return await world.services.store.reader('system').all(usageOf, { organization: world.acme.id })
  }
}

async function openOffice(engine: EngineName, environment: Record<string, string>): Promise<Office> {
  const world = await openWorld(engine, { environment })
  return new Office(world, await openDesk(world))
}

onEveryEngine('an ai.step of the echo', (engine) => {
  let office: Office
  before(async () => {
    office = await openOffice(engine, { ATRIUM_AI_PROVIDER: 'echo', ATRIUM_AI_BUDGET_MINOR_PER_DAY: '10' })
  })
  after(() => office?.world.close())

  it('generates, classifies and extracts; its tokens and costs are counted', async () => {
    const generated = await office.carryOut(
      chain(ask({ operation: 'generate' }), comment('say', { $expr: 'steps.ask.output.text' })),
    )
    assert.equal(generated.status, 'succeeded')
    assert.equal(await office.lastComment(), '{"title":"Write it down"}')
    const { ai_requests, ai_input_tokens, ai_output_tokens, ai_cost_minor } = generated.usage
    assert.equal(ai_requests, 1)
    assert.equal(ai_cost_minor, (ai_input_tokens * 500 + ai_output_tokens * 2500) / 1_000_000)
    const day = Date.parse('2026-08-04T00:00:00Z')
    assert.deepEqual(await office.usage(), [
      {
        day,
        requests: 1,
        input_tokens: ai_input_tokens,
        output_tokens: ai_output_tokens,
        cost_micros: ai_cost_minor * 1_000_000,
      },
    ])

    const labels = ['Read', 'Write']
    const label = comment('say', { $expr: 'steps.ask.output.label' })
    await office.carryOut(chain(ask({ operation: 'classify', labels }), label))
    assert.equal(await office.lastComment(), 'Write')

    const output_schema = { type: 'object', properties: { size: { type: 'integer', minimum: 3 } }, required: ['size'] }
    const size = comment('say', { $template: 'size {{ steps.ask.output.data.size }}' })
    await office.carryOut(chain(ask({ operation: 'extract', output_schema }), size))
    assert.equal(await office.lastComment(), 'size 3')
  })

  it('fails for an unsupported schema before anything is sent', async () => {
    const before = await office.usage()
    const output_schema = { type: 'string', pattern: '^(a+)+$' }
    const run = await office.carryOut(
      chain(ask({ operation: 'extract', output_schema }, { retry: { max_attempts: 3 } })),
    )
    assert.deepEqual([run.status, run.failure.code], ['failed', 'ai_schema_unsupported'])
    const spent = (rows: { cost_micros: number }[]) => rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    assert.equal(spent(await office.usage()), spent(before))
  })

  it('stops without a retry at the daily budget of the flow and of the organization, and works again the next day', async () => {
    const costly: Chain = chain(ask({ operation: 'generate', max_output_tokens: 1600 }, { retry: { max_attempts: 5 } }))
    const capped = { ...costly, settings: { ai_budget_minor_per_day: 4 } }
    const refused = await office.carryOut(capped)
    assert.deepEqual(
      [refused.status, refused.failure.code, refused.usage.ai_requests],
      ['failed', 'ai_budget_exceeded', 0],
    )
    assert.match(refused.failure.message, /flow/)
    const flow = await office.activate(chain(ask({ operation: 'generate', max_output_tokens: 3800 })))
    assert.equal((await office.again(flow)).status, 'succeeded')
    const spent = (await office.usage()).reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    const set = query((db, p: Placeholder<{ cost: number }>) =>
      db.updateTable('automation_ai_usage').set({ cost_micros: p('cost') }),
    )
    await office.world.services.store.write('system', async (tx) => tx.write(set, { cost: 2_000_000 }))
    const over = await office.again(flow)
    assert.deepEqual([over.status, over.failure.code], ['failed', 'ai_budget_exceeded'])
    assert.match(over.failure.message, /organization/)
    assert.ok(spent < 10_000_000, 'what was reserved and not used was given back')
    office.world.clock.advance(12 * 3_600_000)
    assert.equal((await office.again(flow)).status, 'succeeded')
  })
})

onEveryEngine('an ai.step of a provider with chat completions', (engine) => {
  let office: Office
  let receiver: Receiver
  before(async () => {
    receiver = await openReceiver()
    office = await openOffice(engine, {
      ATRIUM_AI_PROVIDER: 'openai_compatible',
      ATRIUM_AI_BASE_URL: `${new URL(receiver.url).origin}/v1/`,
      ATRIUM_AI_API_KEY: 'sk-operator-key',
      ATRIUM_AI_MODEL: 'small-model',
      ATRIUM_AI_BUDGET_MINOR_PER_DAY: '1000',
      ATRIUM_EGRESS_ALLOWED_CIDRS: '',
    })
  })
  after(async () => {
    await receiver?.close()
    await office?.world.close()
  })

  const completion = (content: string) =>
    answer(
      200,
      {},
      JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 40, completion_tokens: 7 } }),
    )
  const retry = { max_attempts: 2, initial_seconds: 5, jitter: 'none' }

  it('calls the operator’s address, which may be private, with the operator’s key and model', async () => {
    receiver.respond = completion('{"label":"Write"}')
    const run = await office.carryOut(chain(ask({ operation: 'classify', labels: ['Read', 'Write'] })))
    assert.equal(run.status, 'succeeded')
    const [{ headers, event }] = receiver.events as [(typeof receiver.events)[0]]
    assert.deepEqual([headers.authorization, headers['idempotency-key']], ['Bearer sk-operator-key', `${run.id}:1`])
    const { model, max_tokens, messages, response_format } = event
    assert.deepEqual([model, max_tokens, response_format.type], ['small-model', 100, 'json_schema'])
    assert.deepEqual(response_format.json_schema.schema.properties.label.enum, ['Read', 'Write'])
    assert.match(messages[0].content, /^Look at it\./)
    assert.deepEqual([messages[1].role, messages[1].content], ['user', '{"title":"Write it down"}'])
    assert.deepEqual(run.usage, {
      steps: 1,
      http_requests: 0,
      ai_requests: 1,
      ai_input_tokens: 40,
      ai_output_tokens: 7,
      ai_cost_minor: (40 * 500 + 7 * 2500) / 1_000_000,
    })
  })

  it('accepts only the given labels and data that satisfies the schema; each attempt is paid for', async () => {
    receiver.respond = completion('{"label":"Delete everything"}')
    const flow = await office.activate(chain(ask({ operation: 'classify', labels: ['Read', 'Write'] }, { retry })))
    const { id } = await office.again(flow)
    office.world.clock.advance(5_000)
    await drainRuns(office.world.services)
    const run = (await office.world.get(`/v1/automation_runs/${id}?workspace=${office.desk.workspace}`)).body
    assert.deepEqual([run.status, run.failure.code, run.usage.ai_requests], ['failed', 'ai_output_invalid', 2])
    assert.equal(run.usage.ai_input_tokens, 80)
    receiver.respond = completion('Sorry, I cannot do that.')
    const output_schema = { type: 'object' }
    const words = await office.carryOut(
      chain(ask({ operation: 'extract', output_schema }, { retry: { max_attempts: 1 } })),
    )
    assert.equal(words.failure.code, 'ai_output_invalid')
  })

  it('cut credentials in the message about an answer that does not fit', async () => {
    const key = `atr_live_${'A1b2C3d4'.repeat(5)}`
    receiver.respond = completion(JSON.stringify({ [key]: 1 }))
    const output_schema = { type: 'object', properties: {}, additionalProperties: false }
    const step = ask({ operation: 'extract', output_schema }, { retry: { max_attempts: 1 } })
    const run = await office.carryOut(chain(step))
    assert.equal(run.failure.message, 'The answer is not valid: atr_live_… is not an allowed field.')
    const path = `/v1/automation_runs/${run.id}/ai_calls?workspace=${office.desk.workspace}`
    assert.equal((await office.world.get(path)).body.calls[0].message, run.failure.message)
  })

  it('keep what they saw and said: prompt, cut credentials, each answer with its check, cost and budget', async () => {
    const { world, desk } = office
    const key = `atr_live_${'A1b2C3d4'.repeat(5)}`
    receiver.respond = completion(`{"label":"Delete ${key}"}`)
    const input = { title: { $expr: 'task.title' }, note: `Call me with ${key}`, size: 3 }
    const step = ask({ operation: 'classify', labels: ['Read', 'Write'], input }, { retry })
    const flow = await office.activate({ ...chain(step), settings: { ai_budget_minor_per_day: 500 } })
    const { id } = await office.again(flow)
    receiver.respond = completion('{"label":"Read"}')
    world.clock.advance(5_000)
    await drainRuns(world.services)
    const path = `/v1/automation_runs/${id}/ai_calls?workspace=${desk.workspace}`
    const { calls, has_more, budget } = (await world.get(path)).body
    const sent = receiver.events.at(-1)?.event.messages.map(({ content }: { content: string }) => content)
    assert.deepEqual(
      calls.map((call: Record<string, unknown>) => [call.instructions, call.input, call.redacted]),
      [1, 2].map(() => [...sent, ['input.note']]),
    )
    assert.deepEqual(JSON.parse(sent[1]), { title: 'Write it down', note: 'Call me with atr_live_…', size: 3 })
    const cost_minor = (40 * 500 + 7 * 2500) / 1_000_000
    assert.deepEqual(
      calls.map(({ step, node, attempt, answer, check, outcome, cost_minor }: Record<string, unknown>) => [
        ...[step, node, attempt, answer, check, outcome, cost_minor],
      ]),
      [
        [1, 'ask', 1, '{"label":"Delete atr_live_…"}', 'failed', 'ai_output_invalid', cost_minor],
        [1, 'ask', 2, '{"label":"Read"}', 'passed', 'succeeded', cost_minor],
      ],
    )
    assert.match(calls[0].message, /^The answer is not valid: /)
    assert.deepEqual(
      [has_more, budget],
      [false, { organization_minor_per_day: 1000, flow_minor_per_day: 500, flow_spent_minor: 2 * cost_minor }],
    )
    assert.equal((await world.get(path, { key: world.globex.key })).status, 404)
    const { secret } = await world.make('/v1/api_keys', { name: 'Tasks', scopes: ['tasks:read'] })
    assert.equal((await world.get(path, { key: secret })).status, 403)
  })

  it('shows no call of a run without AI steps', async () => {
    const { id } = await office.carryOut(chain(comment('say', 'Hello')))
    const path = `/v1/automation_runs/${id}/ai_calls?workspace=${office.desk.workspace}`
    assert.deepEqual((await office.world.get(path)).body.calls, [])
  })

  it('retries when the provider is busy, at the time it names, and refused calls cost nothing', async () => {
    const spent = async () => (await office.usage()).reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    const before = await spent()
    receiver.respond = answer(429, { 'Retry-After': '20' })
    const run = await office.carryOut(chain(ask({ operation: 'generate' }, { retry: { ...retry, max_seconds: 60 } })))
    assert.deepEqual([run.status, run.wake_at], ['retrying', office.world.clock.now() / 1000 + 20])
    assert.equal(await spent(), before)
    receiver.respond = answer(401)
    const wrong = await office.carryOut(chain(ask({ operation: 'generate' }, { retry })))
    assert.deepEqual([wrong.status, wrong.failure.code], ['failed', 'ai_refused'])
  })

  it('counts the reserved cost when the provider reports no usage', async () => {
    const before = (await office.usage()).reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    receiver.respond = answer(200, {}, JSON.stringify({ choices: [{ message: { content: 'Done.' } }] }))
    const run = await office.carryOut(chain(ask({ operation: 'generate' })))
    assert.equal(run.status, 'succeeded')
    const now = (await office.usage()).reduce((sum, { cost_micros }) => sum + cost_micros, 0)
    assert.ok(now - before >= 100 * 2500, `${now - before}`)
    assert.equal(run.usage.ai_cost_minor, (now - before) / 1_000_000)
  })
})

describe('An installation without an AI provider', () => {
  let office: Office
  after(() => office?.world.close())

  it('activates no flow with AI steps', async () => {
    office = await openOffice('sqlite', {})
    const { desk, world } = office
    const { id } = await desk.draft(chain(ask({ operation: 'generate' })))
    const { preview_token } = await desk.preview(id)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true, ai_cost_acknowledged: true }
    const reply = await world.post(`/v1/automation_flows/${id}/activate`, body)
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    assert.match(reply.body.error.message, /ATRIUM_AI_PROVIDER/)
  })
})
