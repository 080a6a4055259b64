import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { type Organization, onEveryWorld, started_at } from '../world.ts'
import { ownerOf, refusal } from './visitor.ts'

const day = 86_400
const hour = 3_600
const start = started_at / 1000

onEveryWorld('the report of flow', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Orbit' })).id
  })

  const create = (title: string, more: object = {}) => world.make('/v1/tasks', { workspace, project, title, ...more })
  const set = async (task: { id: string }, fields: object) => {
    const { status } = await world.patch(`/v1/tasks/${task.id}`, fields)
    assert.equal(status, 200)
  }
  const pass = (seconds: number) => world.clock.advance(seconds * 1000)
  /** With a new session, because the former one has ended by the time that has passed. */
  const flow = async (query: Record<string, string>, organization: Organization = world.acme) =>
    (await ownerOf(world, organization)).get(`reports/flow?${new URLSearchParams(query)}`)

  it('shows past days as they were, whatever became of the tasks since', async () => {
    // The first day: two tasks, one of them canceled on the second, and one in another project.
    const dug = await create('Dig', { labels: ['deep'] })
    const poured = await create('Pour')
    await create('Elsewhere', { project: null })
    pass(2 * hour)
    await set(dug, { status: 'in_progress' })
    pass(day)
    // The second day: one is done and leaves the label, one is canceled, a third is created.
    await set(dug, { status: 'done', labels: [] })
    await set(poured, { status: 'canceled' })
    const dried = await create('Dry')
    pass(day)
    // The third day: the new one is deleted, the done one is reopened and done again.
    await world.delete(`/v1/tasks/${dried.id}`)
    await set(dug, { status: 'todo' })
    pass(hour)
    await set(dug, { status: 'done' })
    const bounds = [start - hour, start + day - hour, start + 2 * day - hour, start + 3 * day - hour].join()
    const { body } = await flow({ project, bounds })
    assert.deepEqual(
      body.days.map(({ created, completed, scope, done }: Record<string, number>) => [created, completed, scope, done]),
      [
        [2, 0, 2, 0],
        [1, 1, 2, 1],
        [0, 1, 1, 1],
      ],
    )
    assert.deepEqual(
      body.completed.map(({ task, started_at: at, completed_at }: Record<string, number | string>) => [
        task,
        at,
        Number(completed_at) - start,
      ]),
      [
        [dug.id, null, 2 * day + 3 * hour],
        [dug.id, start + 2 * hour, day + 2 * hour],
      ],
    )
    assert.equal(body.more, 0)
    const labeled = (await flow({ project, label: 'deep', bounds })).body
    assert.deepEqual(
      labeled.days.map(({ scope, done }: Record<string, number>) => [scope, done]),
      [
        [1, 0],
        [0, 0],
        [0, 0],
      ],
    )
    const all = (await flow({ bounds })).body
    assert.deepEqual(
      all.days.map(({ scope }: Record<string, number>) => scope),
      [3, 3, 2],
    )
  })

  it('finds a start before its days, and leaves out days that the event log no longer holds', async () => {
    const task = await create('Long')
    await set(task, { status: 'in_progress' })
    const begun = world.clock.now() / 1000
    pass(10 * day)
    await set(task, { status: 'done' })
    const now = world.clock.now() / 1000
    const { completed } = (await flow({ project, bounds: [now - day, now + day].join() })).body
    assert.deepEqual([completed[0].task, completed[0].started_at], [task.id, begun])
    const old = (await flow({ project, bounds: [now - 40 * day, now - 39 * day, now - day, now + day].join() })).body
    assert.deepEqual(
      old.days.map(({ from }: { from: number }) => from),
      [now - day],
    )
    assert.equal(old.reaches, now - 30 * day)
  })

  it('another organization sees nothing of it, and wrong days are refused by name', async () => {
    const now = world.clock.now() / 1000
    const bounds = `${now - day},${now + day}`
    const { days } = (await flow({ bounds }, world.globex)).body
    assert.deepEqual([days[0].scope, days[0].completed], [0, 0])
    const foreign = await flow({ bounds, project }, world.globex)
    assert.deepEqual(refusal(foreign), [400, 'invalid_query_parameter', 'project'])
    for (const wrong of ['', '1', '2,1', '1,x', Array.from({ length: 102 }, (_, i) => i + 1).join()]) {
      assert.deepEqual(refusal(await flow({ bounds: wrong })), [400, 'invalid_query_parameter', 'bounds'], wrong)
    }
  })
})
