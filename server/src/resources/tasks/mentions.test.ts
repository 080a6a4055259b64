import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('mentions', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  })

  const ada = 'usr_01K1QX6V0000000000000000AA'
  const bob = 'usr_01K1QX6V0000000000000000BB'
  const text = `See [@Ada](atrium:${ada}) and [@Bob](atrium:${bob}).`

  it('of a task follow its description, in answers, lists and events', async () => {
    const task = await world.make('/v1/tasks', { workspace, title: 'Ask', description: text })
    assert.deepEqual([task.description, task.mentions], [text, [ada, bob]])
    const path = `/v1/tasks/${task.id}`
    assert.deepEqual((await world.get(path)).body, task)
    assert.deepEqual((await world.get(`/v1/tasks?workspace=${workspace}`)).body.data, [task])
    assert.deepEqual((await world.get(`/v1/tasks?workspace=${workspace}&fields=mentions`)).body.data, [
      { mentions: [ada, bob] },
    ])
    const changed = (await world.patch(path, { description: `[@Bob](atrium:${bob})` })).body
    assert.deepEqual(changed.mentions, [bob])
    const { data } = (await world.get(`/v1/events?object=${task.id}`)).body
    const updated = data.find(({ type }: { type: string }) => type === 'workflow.task.updated')
    assert.deepEqual([updated.data.object.mentions, updated.data.previous_attributes.mentions], [[bob], [ada, bob]])
    assert.deepEqual((await world.patch(path, { title: 'Asked' })).body.mentions, [bob])
    assert.deepEqual((await world.patch(path, { description: null })).body.mentions, [])
  })

  it('of a comment follow its body', async () => {
    const task = await world.make('/v1/tasks', { workspace, title: 'Discuss' })
    const path = `/v1/tasks/${task.id}/comments`
    const comment = await world.make(path, { workspace, body: text })
    assert.deepEqual([comment.body, comment.mentions], [text, [ada, bob]])
    assert.deepEqual((await world.get(path)).body.data, [comment])
    assert.deepEqual((await world.patch(`${path}/${comment.id}`, { body: 'No mention' })).body.mentions, [])
  })

  it('are read in batches, bulk changes and copies, and cannot be sent', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Copied' })).id
    const drafts = [
      { title: 'First', project, description: text },
      { title: 'Second', project },
    ]
    const { data } = (await world.post('/v1/tasks/batch', { workspace, data: drafts })).body
    assert.deepEqual(
      data.map(({ mentions }: { mentions: string[] }) => mentions),
      [[ada, bob], []],
    )
    const bulk = { workspace, tasks: [data[1].id], set: { description: text } }
    assert.deepEqual((await world.post('/v1/tasks/bulk', bulk)).body.data[0].mentions, [ada, bob])
    const copy = (await world.make(`/v1/projects/${project}/duplicate`, { name: 'Copy' })).id
    for (const { mentions } of (await world.get(`/v1/tasks?project=${copy}`)).body.data) {
      assert.deepEqual(mentions, [ada, bob])
    }
    const refused = await world.post('/v1/tasks', { workspace, title: 'Sent', mentions: [ada] })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'mentions'])
  })
})
