/** Running entries: at most one for each user, measured by the server's clock. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { noon, openTimesheet, refused, type Timesheet } from '../../../test/time-entries.ts'
import { onEveryWorld, openFirst } from '../../../test/world.ts'

onEveryWorld('time entries', (world) => {
  const timesheet = openFirst(() => openTimesheet(world))
  let workspace: string
  let project: string
  let task: Timesheet['task']
  before(async () => {
    ;({ workspace, project, task } = timesheet)
  })

  it("start and stop use the server's clock", async () => {
    const user = await timesheet.newMember()
    await world.markWritten()
    const begun = Math.floor(world.clock.now() / 1000)
    const running = await timesheet.start({ user, note: 'Pairing', billable: true })
    assert.deepEqual(running, {
      id: running.id,
      object: 'time_entry',
      created: begun,
      updated: begun,
      workspace,
      task: task.id,
      project,
      user,
      started_at: begun,
      ended_at: null,
      duration_ms: null,
      status: 'running',
      note: 'Pairing',
      billable: true,
      source: 'timer',
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.time_entry.started'], audit: ['time_entries.start'] })
    world.clock.advance(90_500)
    const stopped = await world.make(`/v1/time_entries/${running.id}/stop`)
    const ended = Math.floor(world.clock.now() / 1000)
    assert.deepEqual(stopped, {
      ...running,
      updated: ended,
      ended_at: ended,
      duration_ms: 90_500,
      status: 'stopped',
      revision: 2,
    })
    await world.assertWritten({ events: ['workflow.time_entry.stopped'], audit: ['time_entries.stop'] })
    refused(await world.post(`/v1/time_entries/${running.id}/stop`), 409, 'resource_conflict', undefined)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('time already worked at the start is part of the duration', async () => {
    const running = await timesheet.start({ duration_ms: 60_000 })
    assert.equal(running.duration_ms, null)
    world.clock.advance(30_000)
    const stopped = await world.make(`/v1/time_entries/${running.id}/stop`, { workspace })
    assert.deepEqual(
      [stopped.duration_ms, stopped.started_at, stopped.ended_at],
      [90_000, running.started_at, running.started_at + 30],
    )
  })

  it('a user has one running entry; a second one is refused and the first continues', async () => {
    const user = await timesheet.newMember()
    const running = await timesheet.start({ user })
    const another = await timesheet.start()
    const past = await timesheet.record({ user, started_at: noon, ended_at: noon })
    await world.markWritten()
    const again = { workspace, task: task.id, user }
    refused(await world.post('/v1/time_entries/start', again), 409, 'resource_conflict', 'user')
    const open = { ...again, started_at: noon - 60 }
    refused(await world.post('/v1/time_entries', open), 409, 'resource_conflict', 'user')
    const taken = await world.patch(`/v1/time_entries/${another.id}`, { user })
    refused(taken, 409, 'resource_conflict', 'user')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.get(`/v1/time_entries/${running.id}`)).body.status, 'running')
    assert.equal((await world.patch(`/v1/time_entries/${past.id}`, { note: 'Still fine' })).status, 200)
    await world.make(`/v1/time_entries/${running.id}/stop`)
    const next = await timesheet.start({ user })
    await world.delete(`/v1/time_entries/${next.id}`)
    assert.equal((await timesheet.start({ user })).status, 'running')
  })

  it('started_at alone creates a running entry, which can be stopped', async () => {
    const user = await timesheet.newMember()
    const now = Math.floor(world.clock.now() / 1000)
    const running = await timesheet.record({ user, started_at: now - 3600 })
    assert.deepEqual([running.status, running.duration_ms, running.source], ['running', null, 'manual'])
    const { duration_ms } = await world.make(`/v1/time_entries/${running.id}/stop`)
    assert.equal(duration_ms, world.clock.now() - (now - 3600) * 1000)
    const tomorrow = { workspace, task: task.id, user, started_at: now + 86_400 }
    refused(await world.post('/v1/time_entries', tomorrow), 400, 'invalid_request_body', 'started_at')
  })

  it('two concurrent starts of a user create one running entry', async () => {
    const user = await timesheet.newMember()
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => world.post('/v1/time_entries/start', { workspace, task: task.id, user })),
    )
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409, 409, 409, 409, 409, 409])
  })

  it('ended_at stops a running entry', async () => {
    const running = await timesheet.start()
    world.clock.advance(10_000)
    await world.markWritten()
    const ended_at = running.started_at + 10
    const { body } = await world.patch(`/v1/time_entries/${running.id}`, { ended_at })
    assert.deepEqual([body.status, body.ended_at], ['stopped', ended_at])
    await world.assertWritten({ events: ['workflow.time_entry.stopped'], audit: ['time_entries.update'] })
  })
})
