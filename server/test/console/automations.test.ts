/** An automation activated in the console outlives its user's session, but not the user's membership. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startByHand } from '../../src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../src/workers/automations/runs.ts'
import { openDesk } from '../automations/desk.ts'
import { chain, comment, delay } from '../automations/graphs.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password } from './visitor.ts'

onEveryWorld('An automation activated in the console', (world) => {
  const desk = openFirst(() => openDesk(world))
  const owner = openFirst(() => ownerOf(world))

  const runOf = async (id: string) => (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body

  it('runs after its user signed out, and stops when the user is deactivated', async () => {
    const visitor = await join(owner, 'author@acme.example', 'member')
    const { user } = await visitor.arrive()
    const call = { key: await visitor.token() }
    const flow = await desk.activate(chain(delay('nap', 60), comment('still_there')), { call })
    assert.deepEqual(flow.activated_by, { type: 'user', id: user.id })
    await visitor.must('DELETE', 'session')
    const finish = async (): Promise<{ status: string; failure: { code: string } | null }> => {
      const { id } = await startByHand(world.services, flow.id, desk.task)
      await drainRuns(world.services)
      world.clock.advance(60_000)
      await drainRuns(world.services)
      return await runOf(id)
    }
    assert.equal((await finish()).status, 'succeeded')
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${user.id}`, { status: 'inactive' })
    const stopped = await finish()
    assert.deepEqual([stopped.status, stopped.failure?.code], ['failed', 'insufficient_scope'])
    await owner.must('PATCH', `people/${user.id}`, { status: 'active' })
    assert.equal((await finish()).status, 'succeeded')
  })
})
