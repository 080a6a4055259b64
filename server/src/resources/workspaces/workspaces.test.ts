import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { suggestKeys } from './workspace.ts'

onEveryWorld('workspaces', (world) => {
  it('creating a workspace writes it, one event and one audit entry', async () => {
    await world.markWritten()
    const workspace = await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })
    assert.deepEqual(workspace, {
      id: workspace.id,
      object: 'workspace',
      created: 1785844800,
      updated: 1785844800,
      title: 'Kubernetes Enhancement Proposals',
      key: 'KEP',
      status: 'active',
      default_currency: 'EUR',
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.workspace.created'], audit: ['workspaces.create'] })
    assert.deepEqual((await world.get(`/v1/workspaces/${workspace.id}`)).body, workspace)
  })

  it('a second workspace of the same title gets another key', async () => {
    const first = await world.make('/v1/workspaces', { title: 'Twin Peaks' })
    const second = await world.make('/v1/workspaces', { title: 'Twin Peaks' })
    assert.deepEqual([first.key, second.key], ['TP', 'TPA'])
  })

  it('an empty one is deleted: 410, out of the list, with an event; its key stays taken', async () => {
    const workspace = await world.make('/v1/workspaces', { title: 'Quick Experiment' })
    await world.markWritten()
    const { body } = await world.delete(`/v1/workspaces/${workspace.id}`)
    assert.deepEqual(body, { id: workspace.id, object: 'workspace', deleted: true })
    await world.assertWritten({ events: ['workflow.workspace.deleted'], audit: ['workspaces.delete'] })
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual([event.data.object, event.workspace], [workspace, workspace.id])
    assert.equal((await world.get(`/v1/workspaces/${workspace.id}`)).status, 410)
    const { data } = (await world.get('/v1/workspaces?limit=100')).body
    assert.ok(!data.some(({ id }: { id: string }) => id === workspace.id))
    const task = await world.post('/v1/tasks', { workspace: workspace.id, title: 'Too late' })
    assert.deepEqual([task.status, task.body.error.param], [400, 'workspace'])
    assert.notEqual((await world.make('/v1/workspaces', { title: 'Quick Experiment' })).key, workspace.key)
  })

  it('one that contains something is a conflict that says what, until that is deleted', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Full House' })).id
    const project = await world.make('/v1/projects', { workspace, name: 'Sidecars' })
    const task = await world.make('/v1/tasks', { workspace, title: 'Ship it' })
    const portfolio = await world.make('/v1/portfolios', { workspace, name: 'Next year' })
    const tracked = { workspace, task: task.id, started_at: 1_785_000_000, ended_at: 1_785_000_600 }
    const entry = await world.make('/v1/time_entries', tracked)
    const filter = await world.make('/v1/saved_filters', { workspace, name: 'Mine', filter: 'status = todo' })
    await world.markWritten()
    const refused = await world.delete(`/v1/workspaces/${workspace}`)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'resource_conflict'])
    assert.equal(
      refused.body.error.message,
      'The workspace still contains projects, portfolios, tasks, time entries, and saved filters. Delete or pause them first.',
    )
    await world.assertWritten({ events: [], audit: [] })
    const objects = [project, task, portfolio, entry, filter]
    const paths = ['projects', 'tasks', 'portfolios', 'time_entries', 'saved_filters']
    for (const [i, path] of paths.entries()) {
      assert.equal((await world.delete(`/v1/workspaces/${workspace}`)).status, 409, path)
      await world.delete(`/v1/${path}/${objects[i].id}`)
    }
    assert.equal((await world.delete(`/v1/workspaces/${workspace}`)).status, 200)
  })

  it('an update that changes nothing writes nothing', async () => {
    const workspace = await world.make('/v1/workspaces', { title: 'Still' })
    await world.markWritten()
    const reply = await world.patch(`/v1/workspaces/${workspace.id}`, { title: 'Still' })
    assert.deepEqual(reply.body, workspace)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an update raises the revision by one and keeps the key', async () => {
    const workspace = await world.make('/v1/workspaces', { title: 'Old Name' })
    await world.markWritten()
    const reply = await world.patch(`/v1/workspaces/${workspace.id}`, { title: 'New' })
    assert.deepEqual(reply.body, { ...workspace, title: 'New', revision: 2 })
    await world.assertWritten({ events: ['workflow.workspace.updated'], audit: ['workspaces.update'] })
  })

  it('the list shows the newest first', async () => {
    const made = [
      await world.make('/v1/workspaces', { title: 'One' }),
      await world.make('/v1/workspaces', { title: 'Two' }),
    ]
    const reply = await world.get('/v1/workspaces?limit=2')
    assert.deepEqual(reply.body.data, made.reverse())
    assert.equal(reply.body.has_more, true)
  })
})

it('a key has two to six capitals for every title', () => {
  for (const title of ['Kubernetes Enhancement Proposals', 'x', '工作', 'Ärger', 'a b c d e f g h i', '!!!', 'Work']) {
    const keys = suggestKeys(title)
    for (let i = 0; i < 1000; i++) assert.match(String(keys.next().value), /^[A-Z]{2,6}$/)
  }
})
