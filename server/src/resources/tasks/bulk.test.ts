import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Reply } from '../../../test/call.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { workspaceOf } from './rows.test.ts'
import type { Task } from './task.ts'

onEveryWorld('tasks.bulk', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await workspaceOf(world)).id
  })

  /** New tasks of the workspace; later checks of writes ignore their creation. */
  async function make(...drafts: object[]) {
    const data = drafts.map((fields) => ({ title: 'Task', ...fields }))
    const { data: made } = await world.make('/v1/tasks/batch', { workspace, data })
    await world.markWritten()
    return made
  }
  const bulk = (tasks: readonly string[], change: object) =>
    world.post('/v1/tasks/bulk', { workspace, tasks, ...change })
  const shown = async (id: string) => (await world.get(`/v1/tasks/${id}`)).body

  function assertRefused(reply: Reply, status: number, param: string) {
    assert.deepEqual([reply.status, reply.body.error?.param], [status, param], JSON.stringify(reply.body))
  }

  it('changes every task in the order sent, with an event and an audit entry each', async () => {
    const [a, b, c] = await make({ labels: ['x', 'y'] }, { priority: 'high', labels: ['z', 'x'] }, {})
    const change = { set: { priority: 'high' }, add_labels: ['x', 'new'], remove_labels: ['y', 'absent'] }
    const reply = await bulk([b.key, a.id, c.id], change)
    assert.equal(reply.status, 200)
    assert.deepEqual(
      reply.body.data.map((task: Task) => [task.id, task.priority, task.labels, task.revision]),
      [
        [b.id, 'high', ['z', 'x', 'new'], 2],
        [a.id, 'high', ['x', 'new'], 2],
        [c.id, 'high', ['x', 'new'], 2],
      ],
    )
    const times = <T>(what: T) => [what, what, what]
    await world.assertWritten({ events: times('workflow.task.updated'), audit: times('tasks.bulk') })
    for (const task of reply.body.data) assert.deepEqual(await shown(task.id), task)
    await world.markWritten()
    assert.deepEqual((await bulk([b.key, a.id, c.id], change)).body, reply.body)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('moves tasks to the end of a column in the order sent, with its status', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Bulk' })).id
    const column = (await world.make('/v1/columns', { workspace, project, name: 'Done', status: 'done' })).id
    const [a, b, c] = await make({ title: 'a' }, { title: 'b' }, { title: 'c', project, column })
    const reply = await bulk([b.id, a.id], { set: { project, column } })
    assert.deepEqual(
      reply.body.data.map((task: Task) => [task.title, task.status]),
      [
        ['b', 'done'],
        ['a', 'done'],
      ],
    )
    const { data } = (await world.get(`/v1/tasks?project=${project}&sort=position`)).body
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [c.id, b.id, a.id],
    )
    assertRefused(await bulk([a.id], { set: { column, status: 'todo' } }), 400, 'set.status')
  })

  it('gives tasks a parent, and answers with its new counts if it is among them', async () => {
    const [parent, child, other] = await make({}, {}, {})
    await bulk([child.id, other.id], { set: { parent: parent.id } })
    assert.deepEqual([(await shown(parent.id)).subtask_count, (await shown(parent.id)).revision], [2, 2])
    const reply = await bulk([parent.id, child.id, other.id], { set: { status: 'done' } })
    assert.deepEqual(reply.body.data[0], await shown(parent.id))
    assert.deepEqual([reply.body.data[0].subtask_done_count, reply.body.data[0].status], [2, 'done'])
    assertRefused(await bulk([child.id, parent.id], { set: { parent: other.id } }), 409, 'set.parent')
    assertRefused(await bulk([child.id, other.id], { set: { parent: other.id } }), 400, 'set.parent')
    assert.equal((await shown(child.id)).parent, parent.id)
  })

  it('deletes tasks, also a parent with its children', async () => {
    const [parent, kept] = await make({}, {})
    const [child] = await make({ parent: parent.id })
    const [grandchild] = await make({ parent: child.id })
    const reply = await bulk([parent.id, child.key, kept.id], { delete: true })
    assert.deepEqual(
      reply.body.data,
      [parent, child, kept].map(({ id }) => ({ id, object: 'task', deleted: true })),
    )
    const gone = 'workflow.task.deleted'
    await world.assertWritten({
      events: [gone, gone, 'workflow.task.updated', gone],
      audit: Array(3).fill('tasks.bulk'),
    })
    assert.equal((await world.get(`/v1/tasks/${child.id}`)).status, 410)
    assert.equal((await shown(grandchild.id)).parent, null)
  })

  it('refuses a wrong task or field by its name and changes nothing', async () => {
    const [a, b] = await make({}, { labels: Array.from({ length: 50 }, (_, i) => `l${i}`) })
    const [deleted] = await make({})
    await world.delete(`/v1/tasks/${deleted.id}`)
    const other = (await workspaceOf(world, 'Other')).id
    const foreign = await world.make('/v1/tasks', { workspace: other, title: 'T' })
    await world.markWritten()
    const set = { priority: 'high' }
    for (const wrong of ['tsk_00000000000000000000000000', deleted.id, foreign.id, a.key]) {
      assertRefused(await bulk([a.id, wrong], { set }), 400, 'tasks[1]')
    }
    assertRefused(await bulk([a.id], { set: { status: 'zzz' } }), 400, 'set.status')
    assertRefused(await bulk([a.id], { set: { custom_fields: { x: [[1]] } } }), 400, 'set.custom_fields.x')
    assertRefused(await bulk([a.id, b.id], { set, add_labels: ['more'] }), 400, 'add_labels')
    assertRefused(await bulk([a.id], { add_labels: ['x'], remove_labels: ['x'] }), 400, 'remove_labels')
    assertRefused(await bulk([a.id], {}), 400, 'set')
    assertRefused(await bulk([a.id], { set, delete: true }), 400, 'delete')
    assertRefused(await bulk([], { set }), 400, 'tasks')
    await world.assertWritten({ events: [], audit: [] })
  })

  it('names the task of an archived project', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Archived' })).id
    const [a, b] = await make({}, { project })
    await world.make(`/v1/projects/${project}/archive`, {})
    assertRefused(await bulk([a.id, b.id], { set: { priority: 'high' } }), 409, 'tasks[1]')
    assertRefused(await bulk([a.id, b.id], { delete: true }), 409, 'tasks[1]')
    assert.equal((await shown(a.id)).revision, 1)
  })
})
