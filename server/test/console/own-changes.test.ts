/** The list of one's own changes that can be undone. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, type Visitor } from './visitor.ts'

onEveryWorld('The own changes of a person', (world) => {
  let member: Visitor
  const owner = openFirst(() => ownerOf(world))

  before(async () => {
    member = await join(owner, 'bo@acme.example', 'member')
  })

  const changesOf = async (visitor: Visitor) => {
    const { data } = await visitor.must('GET', 'own-changes')
    return data as Record<string, unknown>[]
  }

  it('are listed newest first, without those of others, and are undone by their requests', async () => {
    const workspace = (await world.make('/v1/workspaces', { title: 'Kepler' })).id
    const key = await member.token()
    const task = await world.make('/v1/tasks', { workspace, title: 'Antenna' }, { key })
    const renamed = await world.patch(`/v1/tasks/${task.id}`, { title: 'Dish', priority: 'high' }, { key })
    await world.patch(`/v1/tasks/${task.id}`, { labels: ['x'] })
    const [latest, first, ...rest] = await changesOf(member)
    assert.deepEqual(rest, [])
    assert.equal(latest?.request, renamed.headers['x-request-id'])
    assert.deepEqual(
      [latest?.verbs, latest?.fields, latest?.task_count, latest?.is_undoable],
      [['changed'], ['title', 'priority'], 1, true],
    )
    assert.deepEqual(latest?.tasks, [{ id: task.id, key: task.key, title: 'Dish' }])
    assert.deepEqual(first?.verbs, ['created'])
    assert.deepEqual(await changesOf(owner), [])
    const undone = await world.post('/v1/undo', { requests: [latest?.request] }, { key })
    assert.deepEqual([undone.status, undone.body.data[0].title], [200, 'Antenna'])
    const removed = await world.call('DELETE', `/v1/tasks/${task.id}`, { key })
    const [deletion] = await changesOf(member)
    assert.deepEqual([deletion?.request, deletion?.is_undoable], [removed.headers['x-request-id'], false])
  })
})
