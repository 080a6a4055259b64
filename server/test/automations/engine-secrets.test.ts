/** Secrets of http.request steps: sent to the host in the graph and shown nowhere. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment } from './graphs.ts'

const secret = 'sk-very-secret-value'

const everything = (
  table: 'automation_runs' | 'automation_steps' | 'automation_attempts' | 'events' | 'audit_entries',
) => query<object>((db) => db.selectFrom(table as 'events').selectAll())

onEveryWorld('an http.request step with a secret', (world) => {
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver

  before(async () => {
    receiver = await openReceiver()
    const { id: organization } = world.acme
    await writeSecret(world.services, { organization, mode: 'live', name: 'service_key', value: secret })
    await writeSecret(world.services, { organization, mode: 'live', name: 'basic', value: 'Basic dXNlcjpwYXNz' })
  })
  after(() => receiver?.close())
  beforeEach(() => {
    receiver.respond = answer(204)
    receiver.events.length = 0
  })

  const call = (config: object, more: object = {}) => ({
    id: 'call',
    type: 'http.request',
    config: { method: 'POST', url: receiver.url, body: { task: { $expr: 'task.id' } }, ...config },
    ...more,
  })
  const retry = { max_attempts: 3, initial_seconds: 10, backoff: 3, max_seconds: 60, jitter: 'none' }
  const drain = () => drainRuns(world.services)
  const reader = () => world.services.store.reader('system')
  const shown = async (run: string) => (await world.get(`/v1/automation_runs/${run}?workspace=${desk.workspace}`)).body

  async function start(graph: object): Promise<string> {
    const flow = (await desk.activate(graph)).id
    return (await startByHand(world.services, flow, desk.task)).id
  }

  async function carryOut(graph: object): Promise<string> {
    const run = await start(graph)
    await drain()
    return run
  }

  it('sends a secret in the Authorization header and shows it nowhere', async () => {
    receiver.respond = ({ headers }, response) => {
      response.writeHead(200).end(JSON.stringify({ you_sent: headers.authorization, odd: `${secret}"` }))
    }
    const step = call({ secret: 'service_key', output: 'json' })
    const run = await carryOut(chain(step, comment('echo', { $template: '{{ steps.call.output.body }}' })))
    assert.equal((await shown(run)).status, 'succeeded')
    assert.equal(receiver.events[0]?.headers.authorization, `Bearer ${secret}`)
    receiver.respond = answer(401, {}, `no, ${secret} is wrong`)
    const failing = await carryOut(chain(call({ secret: 'service_key', output: 'text' })))
    assert.equal((await shown(failing)).status, 'failed')
    await carryOut(chain(call({ secret: 'basic' })))
    assert.equal(receiver.events.at(-1)?.headers.authorization, 'Basic dXNlcjpwYXNz')
    for (const table of [
      'automation_runs',
      'automation_steps',
      'automation_attempts',
      'events',
      'audit_entries',
    ] as const) {
      const text = JSON.stringify(await reader().all(everything(table)))
      assert.equal(text.includes(secret) || text.includes('dXNlcjpwYXNz'), false, table)
    }
    const { data } = (await world.get(`/v1/tasks/${desk.task}/comments?workspace=${desk.workspace}`)).body
    assert.equal(data[0].body, '{"you_sent":"Bearer [secret]","odd":"[secret]\\""}')
  })

  it('fails before anything is sent if its secret was deleted', async () => {
    const { id: organization } = world.acme
    await writeSecret(world.services, { organization, mode: 'live', name: 'gone', value: 'x' })
    const run = await start(chain(call({ secret: 'gone' }, { retry })))
    const forget = query((db, p: Placeholder<{ name: string }>) =>
      db.deleteFrom('automation_secrets').where('name', '=', p('name')),
    )
    await world.services.store.write('system', async (tx) => tx.write(forget, { name: 'gone' }))
    await drain()
    assert.deepEqual([(await shown(run)).failure.code, receiver.events.length], ['secret_missing', 0])
  })
})
