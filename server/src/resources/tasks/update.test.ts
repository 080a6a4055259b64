import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { type Placeholder, query } from '../../db/query.ts'
import { arrange, insertColumn, insertDependency, insertMember, insertProject, workspaceOf } from './rows.test.ts'

const newestEvent = query((db) => db.selectFrom('events').select('data').orderBy('id', 'desc').limit(1))

const deactivate = query((db, p: Placeholder<{ id: string }>) =>
  db.updateTable('members').set({ status: 'inactive' }).where('id', '=', p('id')),
)

onEveryWorld('tasks.update, complete and move', (world) => {
  let workspace: { id: string }
  before(async () => {
    workspace = await workspaceOf(world)
  })

  /** A new task of the workspace; later checks of writes ignore its creation. */
  async function make(fields: object = {}) {
    const task = await world.make('/v1/tasks', { workspace: workspace.id, title: 'Task', ...fields })
    await world.markWritten()
    return task
  }

  async function previous() {
    const event = await world.services.store.reader('system').first(newestEvent)
    return JSON.parse(event!.data).previous_attributes
  }

  it('a change raises the revision, and its event has the previous values', async () => {
    const task = await make({ description: 'Old' })
    world.clock.advance(5000)
    const reply = await world.patch(`/v1/tasks/${task.id}`, { title: 'New', description: '', priority: 'high' })
    assert.deepEqual(reply.body, {
      ...task,
      title: 'New',
      description: null,
      priority: 'high',
      updated: task.updated + 5,
      revision: 2,
    })
    await world.assertWritten({ events: ['workflow.task.updated'], audit: ['tasks.update'] })
    assert.deepEqual(await previous(), {
      updated: task.updated,
      title: 'Task',
      description: 'Old',
      priority: 'none',
      revision: 1,
    })
  })

  it('sending back the shown values changes nothing', async () => {
    world.clock.advance(123)
    const task = await make({ status: 'done', due_at: 1785900000, labels: ['a'], custom_fields: { x: 1, y: ['z'] } })
    const { title, description, status, priority, assignee, due_at, completed_at, labels, custom_fields } = task
    const { project, column } = task
    const body = { title, description, status, priority, assignee, due_at, completed_at, labels, custom_fields }
    const reply = await world.patch(`/v1/tasks/${task.id}`, { ...body, project, column })
    assert.deepEqual(reply.body, task)
    assert.deepEqual((await world.patch(`/v1/tasks/${task.id}`)).body, task)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('status and completion time change together and decide the type of the event', async () => {
    const steps: readonly [body: object, expected: unknown, events: string[]][] = [
      [{ status: 'in_progress' }, ['in_progress', null], ['updated']],
      [{ completed_at: null }, ['in_progress', null], []],
      [{ status: 'done', title: 'Ready' }, ['done', 'now'], ['completed']],
      [{ status: 'done' }, ['done', 'now'], []],
      [{ completed_at: null }, [400, 'completed_at'], []],
      [{ status: 'done', completed_at: null }, [400, 'completed_at'], []],
      [{ status: 'todo', completed_at: 3 }, [400, 'completed_at'], []],
      [{ completed_at: 3 }, ['done', 3], ['updated']],
      [{ status: 'todo' }, ['todo', null], ['reopened']],
      [{ completed_at: 4 }, ['done', 4], ['completed']],
      [{ status: 'canceled', completed_at: null }, ['canceled', null], ['reopened']],
    ]
    const task = await make()
    const now = Math.floor(world.clock.now() / 1000)
    for (const [body, expected, events] of steps) {
      const { status, body: answer } = await world.patch(`/v1/tasks/${task.id}`, body)
      const time = answer.completed_at === now ? 'now' : answer.completed_at
      assert.deepEqual(status === 200 ? [answer.status, time] : [status, answer.error.param], expected)
      const audit = events.map(() => 'tasks.update')
      await world.assertWritten({ events: events.map((name) => `workflow.task.${name}`), audit })
    }
  })

  it('custom fields merge key by key, up to 50 keys', async () => {
    const task = await make({ custom_fields: { a: 1, b: 'x' } })
    const merged = await world.patch(`/v1/tasks/${task.id}`, { custom_fields: { a: null, c: true } })
    assert.deepEqual(merged.body.custom_fields, { b: 'x', c: true })
    const many = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, i]))
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { custom_fields: many(0, 48) })).status, 200)
    const over = await world.patch(`/v1/tasks/${task.id}`, { custom_fields: many(48, 1) })
    assert.deepEqual([over.status, over.body.error.param], [400, 'custom_fields'])
    const swapped = await world.patch(`/v1/tasks/${task.id}`, { custom_fields: { ...many(48, 1), k0: null } })
    assert.equal(Object.keys(swapped.body.custom_fields).length, 50)
  })

  it('an inactive assignee may remain but not be set', async () => {
    const member = await insertMember(world, 'active')
    const task = await make({ assignee: member.user })
    await arrange(world, (tx) => tx.write(deactivate, { id: member.id }))
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { assignee: member.user })).status, 200)
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { assignee: null })).body.assignee, null)
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { assignee: member.user })).status, 400)
  })

  it('If-Match of another revision is a conflict and changes nothing', async () => {
    const task = await make()
    const stale = await world.patch(`/v1/tasks/${task.id}`, { title: 'B' }, { headers: { 'if-match': '"2-x"' } })
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'resource_conflict'])
    const fresh = await world.patch(`/v1/tasks/${task.id}`, { title: 'B' }, { headers: { 'if-match': '"1-x"' } })
    assert.equal(fresh.body.revision, 2)
  })

  it('every operation accepts a key instead of the id', async () => {
    const task = await make()
    assert.equal((await world.get(`/v1/tasks/${task.key}`)).body.id, task.id)
    assert.equal((await world.patch(`/v1/tasks/${task.key}`, { title: 'By key' })).body.id, task.id)
    assert.equal((await world.post(`/v1/tasks/${task.key}/move`, {})).body.id, task.id)
    assert.equal((await world.post(`/v1/tasks/${task.key}/complete`)).body.id, task.id)
    const deleted = await world.delete(`/v1/tasks/${task.key}`)
    assert.deepEqual(deleted.body, { id: task.id, object: 'task', deleted: true })
    assert.equal((await world.get(`/v1/tasks/${task.key}`)).status, 410)
    assert.equal((await world.get(`/v1/tasks/${task.key}`, { key: world.globex.key })).status, 404)
  })

  it('a task of another workspace than the named one is not found', async () => {
    const other = await workspaceOf(world)
    const task = await make()
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { workspace: other.id, title: 'x' })).status, 404)
    assert.equal((await world.patch(`/v1/tasks/${task.id}`, { workspace: workspace.id, title: 'x' })).status, 200)
  })

  it('complete marks a task done once', async () => {
    const task = await make()
    const done = await world.post(`/v1/tasks/${task.id}/complete`)
    const completed_at = Math.floor(world.clock.now() / 1000)
    assert.deepEqual(done.body, { ...task, status: 'done', completed_at, updated: completed_at, revision: 2 })
    await world.assertWritten({ events: ['workflow.task.completed'], audit: ['tasks.complete'] })
    world.clock.advance(60_000)
    assert.deepEqual((await world.post(`/v1/tasks/${task.id}/complete`, {})).body, done.body)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a column must belong to the task’s project and is cleared with it', async () => {
    const one = await insertProject(world, workspace)
    const two = await insertProject(world, workspace)
    const doing = await insertColumn(world, one)
    const done = await insertColumn(world, two)
    const task = await make({ project: one.id, column: doing.id })
    const steps: readonly [body: object, expected: unknown, events: string[]][] = [
      [{}, [one.id, doing.id], []],
      [{ project: one.id }, [one.id, doing.id], []],
      [{ column: done.id }, [400, 'column'], []],
      [{ project: two.id, column: doing.id }, [400, 'column'], []],
      [{ project: null, column: doing.id }, [400, 'column'], []],
      [{ column: null }, [one.id, null], ['workflow.task.moved']],
      [{ column: doing.id }, [one.id, doing.id], ['workflow.task.moved']],
      [{ project: two.id }, [two.id, null], ['workflow.task.moved']],
      [{ project: one.id, column: doing.id }, [one.id, doing.id], ['workflow.task.moved']],
      [{ project: null }, [null, null], ['workflow.task.moved']],
      [{ column: doing.id }, [400, 'column'], []],
    ]
    for (const [body, expected, events] of steps) {
      for (const verb of ['patch', 'move']) {
        const { status, body: answer } =
          verb === 'patch'
            ? await world.patch(`/v1/tasks/${task.id}`, body)
            : await world.post(`/v1/tasks/${task.id}/move`, body)
        assert.deepEqual(
          status === 200 ? [answer.project, answer.column] : [status, answer.error.param],
          expected,
          JSON.stringify(body),
        )
        // The second request of each pair finds nothing to change.
        const expectedEvents = verb === 'patch' ? events : []
        await world.assertWritten({ events: expectedEvents, audit: expectedEvents.map(() => 'tasks.update') })
      }
    }
  })

  it('leaving a project deletes the task’s dependencies in both directions', async () => {
    const project = await insertProject(world, workspace)
    const column = await insertColumn(world, project)
    const [a, b, c] = [await make({ project: project.id }), await make(), await make()]
    await insertDependency(world, project, a.id, b.id)
    await insertDependency(world, project, c.id, a.id)
    await insertDependency(world, project, c.id, b.id)
    await world.post(`/v1/tasks/${a.id}/move`, { column: column.id })
    await world.assertWritten({ events: ['workflow.task.moved'], audit: ['tasks.move'] })
    await world.post(`/v1/tasks/${a.id}/move`, { project: null })
    const gone = 'workflow.dependency.deleted'
    await world.assertWritten({ events: ['workflow.task.moved', gone, gone], audit: ['tasks.move'] })
    await world.post(`/v1/tasks/${a.id}/move`, { project: project.id })
    await world.assertWritten({ events: ['workflow.task.moved'], audit: ['tasks.move'] })
  })

  it('a change that completes and moves a task emits the completed event', async () => {
    const project = await insertProject(world, workspace)
    const task = await make()
    await world.patch(`/v1/tasks/${task.id}`, { project: project.id, status: 'done' })
    await world.assertWritten({ events: ['workflow.task.completed'], audit: ['tasks.update'] })
  })

  it('tasks of an archived project cannot be written, and no task can be moved there', async () => {
    const project = await insertProject(world, workspace)
    const task = await make({ project: project.id })
    const free = await make()
    assert.equal((await world.post(`/v1/projects/${project.id}/archive`)).status, 200)
    await world.markWritten()
    for (const reply of [
      await world.patch(`/v1/tasks/${task.id}`, { title: 'No' }),
      await world.patch(`/v1/tasks/${task.id}`),
      await world.post(`/v1/tasks/${task.id}/complete`),
      await world.post(`/v1/tasks/${task.id}/move`, { project: null }),
      await world.delete(`/v1/tasks/${task.id}`),
      await world.post(`/v1/tasks/${free.id}/move`, { project: project.id }),
      await world.patch(`/v1/tasks/${free.id}`, { project: project.id }),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.assertWritten({ events: [], audit: [] })
  })
})
