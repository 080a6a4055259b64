/** Executing runs reads rows by index scans: no statement reads a whole table. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, it } from 'node:test'
import pg from 'pg'
import type { Query } from '../../src/db/query.ts'
import type { Reader, Store } from '../../src/db/store.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryServer } from '../engines.ts'
import { answer, openReceiver, type Receiver } from '../receiver.ts'
import { openFirst, worldOf } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment, delay } from './graphs.ts'

/** A store that records its statements. */
function noting(store: Store, texts: Set<string>): Store {
  const noted = <T extends Reader>(reader: T): T => {
    const around = (name: 'all' | 'first' | 'write' | 'run') => (query: Query<unknown>, values: never) => {
      texts.add(query.statement(store.dialect).sql)
      return (reader as never as Record<string, (...given: unknown[]) => unknown>)[name]?.(query, values)
    }
    const methods = { all: around('all'), first: around('first'), write: around('write'), run: around('run') }
    const rest = {
      insert: (...given: never[]) => (reader as never as { insert(...given: never[]): void }).insert(...given),
    }
    const heads = (organization: string) => (reader as never as { heads(id: string): unknown }).heads(organization)
    return Object.assign(Object.create(reader), methods, rest, { heads })
  }
  return Object.assign(Object.create(store), {
    reader: (scope: never) => noted(store.reader(scope)),
    write: (scope: never, job: (tx: never) => never, options: never) =>
      store.write(scope, (tx) => job(noted(tx) as never), options),
  })
}

onEveryServer('executing runs', (engine) => {
  const world = worldOf(engine, {
    environment: { ATRIUM_AI_PROVIDER: 'echo', ATRIUM_AI_BUDGET_MINOR_PER_DAY: '9' },
  })
  const desk = openFirst(() => openDesk(world))
  let receiver: Receiver
  before(async () => {
    receiver = await openReceiver()
  })
  after(() => receiver?.close())

  /** The steps of a query plan, without values. */
  async function plan(sql: string): Promise<string> {
    if (engine === 'sqlite') {
      const database = new DatabaseSync(world.database.url.slice('file:'.length))
      const rows = database.prepare(`explain query plan ${sql}`).all()
      database.close()
      return rows.map(({ detail }) => detail).join('\n')
    }
    const client = new pg.Client(world.database.url)
    await client.connect()
    await client.query('set enable_seqscan = off')
    const { rows } = await client.query(`explain (generic_plan) ${sql}`)
    await client.end()
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  it('reads no whole table', async () => {
    const call = { id: 'call', type: 'http.request', config: { method: 'POST', url: receiver.url, body: 1 } }
    const ask = {
      id: 'ask',
      type: 'ai.step',
      config: { operation: 'generate', instructions: 'Say it.', max_output_tokens: 9 },
    }
    const graph = { ...chain(comment('say'), call, ask, delay('nap', 5)), settings: { ai_budget_minor_per_day: 9 } }
    const { id } = await desk.draft(graph)
    const { preview_token } = await desk.preview(id)
    const body = { workspace: desk.workspace, preview_token, scope_acknowledged: true, ai_cost_acknowledged: true }
    await world.make(`/v1/automation_flows/${id}/activate`, body)
    const texts = new Set<string>()
    const services = { ...world.services, store: noting(world.services.store, texts) }
    receiver.respond = answer(503)
    for (let i = 0; i < 2; i++) await startByHand(world.services, id, desk.task)
    await drainRuns(services)
    receiver.respond = answer(204)
    for (let i = 0; i < 4; i++) {
      world.clock.advance(10_000)
      await drainRuns(services)
    }
    const { data } = (await world.get(`/v1/automation_runs?workspace=${desk.workspace}`)).body
    assert.deepEqual(
      data.map(({ status }: { status: string }) => status),
      ['succeeded', 'succeeded'],
    )
    const theirs = [...texts].filter((sql) => sql.includes('automation_') && !sql.startsWith('insert'))
    assert.ok(theirs.length > 15, `${theirs.length}`)
    for (const sql of theirs) {
      const steps = await plan(sql)
      assert.doesNotMatch(steps, /(?:SCAN|Seq Scan on) automation_/, `${sql}\n${steps}`)
    }
  })
})
