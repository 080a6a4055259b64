/** A run that is canceled as it ends: exactly one of the two happens, completely. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Placeholder, query } from '../../src/db/query.ts'
import { findRun } from '../../src/resources/automation_runs/queries.ts'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { openDesk } from './desk.ts'
import { chain, comment } from './graphs.ts'

const rounds = 25
const at_once = 20

const ends = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'object_id'])
    .where('realm', '=', p('realm'))
    .where('type', 'in', ['automation.run.succeeded', 'automation.run.canceled', 'automation.run.failed']),
)
const bodies = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('comments').select('body').where('realm', '=', p('realm')),
)
const runRows = query((db, p: Placeholder<{ realm: number }>) =>
  db.selectFrom('automation_runs').select(['id', 'status', 'holds_slot', 'due_at']).where('realm', '=', p('realm')),
)

onEveryWorld(`${rounds * at_once} runs that are canceled as they end`, (world) => {
  const desk = openFirst(() => openDesk(world))

  it('have one end each: succeeded with the effect and 409, or canceled without the effect', async () => {
    const settings = { concurrency: { scope: 'task', limit: at_once }, max_runs_per_hour: 3600 }
    const flow = (await desk.activate({ ...chain(comment('said', { $expr: 'run.id' })), settings })).id
    const answered = new Map<string, number>()
    const { live: realm } = world.acme.realms
    const reader = world.services.store.reader('system')
    /** Every second run is canceled after its claim, the others some turns after all have started. */
    const cancel = async (id: string, turns: number) => {
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      while (turns % 2 === 1 && (await findRun(reader, { realm, id }))?.status === 'queued') {
        await new Promise(setImmediate)
      }
      const reply = await world.post(`/v1/automation_runs/${id}/cancel`, { workspace: desk.workspace })
      answered.set(id, reply.status)
    }
    for (let round = 0; round < rounds; round++) {
      const runs: string[] = []
      for (let i = 0; i < at_once; i++) runs.push((await startByHand(world.services, flow, desk.task)).id)
      const drained = drainRuns(world.services)
      await Promise.all([drained, ...runs.map((run, i) => cancel(run, (i * (round + 1)) % 40))])
      await drainRuns(world.services)
    }
    const endings = Map.groupBy(await reader.all(ends, { realm }), ({ object_id }) => object_id)
    const said = new Set((await reader.all(bodies, { realm })).map(({ body }) => body))
    const rows = await reader.all(runRows, { realm })
    assert.equal(rows.length, rounds * at_once)
    const outcomes = new Set<string>()
    for (const { id, status, holds_slot, due_at } of rows) {
      outcomes.add(status)
      assert.deepEqual([holds_slot, due_at], [0, null])
      assert.deepEqual(
        endings.get(id)?.map(({ type }) => type),
        [`automation.run.${status}`],
      )
      assert.deepEqual([answered.get(id), said.has(id)], status === 'canceled' ? [200, false] : [409, true], status)
    }
    assert.deepEqual([...outcomes].sort(), ['canceled', 'succeeded'], 'each of them won now and then')
  })
})
