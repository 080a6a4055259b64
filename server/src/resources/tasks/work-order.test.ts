import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { workspaceOf } from './rows.test.ts'

const due_at = 1_800_000_000

onEveryEngine('the start of a task', (engine) => {
  let world: World
  let workspace: string
  before(async () => {
    world = await openWorld(engine)
    workspace = (await workspaceOf(world)).id
  })
  after(() => world?.close())

  const make = (fields: object) => world.make('/v1/tasks', { workspace, title: 'Task', ...fields })

  it('is set by create, batch and import, changed and removed', async () => {
    const start_at = due_at - 60
    const task = await make({ start_at, due_at })
    assert.equal(task.start_at, start_at)
    const batch = await world.make('/v1/tasks/batch', { workspace, data: [{ title: 'In a batch', start_at }] })
    assert.equal(batch.data[0].start_at, start_at)
    const data = [{ external_id: 'OPS-1', title: 'Imported', start_at }]
    const imported = await world.make('/v1/tasks/import', { workspace, source: 'jira', data })
    assert.equal((await world.get(`/v1/tasks/${imported.data[0].task}`)).body.start_at, start_at)
    const changed = await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at })
    assert.deepEqual([changed.body.start_at, changed.body.revision], [due_at, 2])
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { start_at: null })).body.start_at, null)
  })

  it('is not after the due date, whichever of the two a request sends', async () => {
    const refused = (reply: { status: number; body: any }, param: string) =>
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
    const late = { title: 'Late', start_at: due_at + 1, due_at }
    refused(await world.post('/v1/tasks', { workspace, ...late }), 'start_at')
    refused(await world.post('/v1/tasks/batch', { workspace, data: [{ title: 'Fine' }, late] }), 'data[1].start_at')
    const task = await make({ start_at: due_at, due_at })
    refused(await world.patch(`/v1/tasks/${task.id}`, { due_at: due_at - 1 }), 'start_at')
    refused(await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at + 1 }), 'start_at')
    assert.equal((await world.get(`/v1/tasks/${task.id}`)).body.revision, 1)
    const both = await world.patch(`/v1/tasks/${task.id}`, { start_at: due_at + 1, due_at: due_at + 2 })
    assert.deepEqual([both.status, both.body.start_at], [200, due_at + 1])
  })

  it('filters and sorts, tasks without one last', async () => {
    const { id } = await workspaceOf(world)
    const data = [3, null, 1].map((at) => ({ title: String(at), start_at: at === null ? null : due_at + at }))
    await world.make('/v1/tasks/batch', { workspace: id, data })
    const titles = async (query: string) => {
      const { data } = (await world.get(`/v1/tasks?workspace=${id}&${query}`)).body
      return data.map((task: { title: string }) => task.title)
    }
    assert.deepEqual(await titles('sort=start_at'), ['1', '3', 'null'])
    assert.deepEqual(await titles('sort=-start_at'), ['3', '1', 'null'])
    assert.deepEqual(await titles(`filter=${encodeURIComponent(`start_at > ${due_at + 1}`)}`), ['3'])
    assert.deepEqual(await titles(`filter=${encodeURIComponent('start_at = null')}`), ['null'])
  })
})
