import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { onEveryEngine } from '../../../test/engines.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { suggestKeys } from './workspace.ts'

onEveryEngine('workspaces', (engine) => {
  let world: World
  before(async () => {
    world = await openWorld(engine)
  })
  after(() => world.close())

  it('creating one writes it, one event and one audit entry', async () => {
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

  it('a second one of the same title gets another key', async () => {
    const first = await world.make('/v1/workspaces', { title: 'Twin Peaks' })
    const second = await world.make('/v1/workspaces', { title: 'Twin Peaks' })
    assert.deepEqual([first.key, second.key], ['TP', 'TPA'])
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

it('a key has two to six capitals, whatever the title', () => {
  for (const title of ['Kubernetes Enhancement Proposals', 'x', '工作', 'Ärger', 'a b c d e f g h i', '!!!', 'Work']) {
    const keys = suggestKeys(title)
    for (let i = 0; i < 1000; i++) assert.match(String(keys.next().value), /^[A-Z]{2,6}$/)
  }
})
