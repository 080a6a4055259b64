import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'
import { newId } from '../../lib/ids.ts'

interface CreatedTask {
  readonly id: string
  readonly key: string
}

onEveryWorld('dependencies', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Release' })).id
  })

  const newTask = (fields: object = {}): Promise<CreatedTask> =>
    world.make('/v1/tasks', { workspace, project, title: 'A task', ...fields })
  const depend = (from: CreatedTask, to: string, kind?: string) =>
    world.post(`/v1/tasks/${from.id}/dependencies`, { workspace, to, ...(kind === undefined ? {} : { kind }) })

  it('a dependency is of kind blocks by default, with one event and one audit entry', async () => {
    const [from, to] = [await newTask(), await newTask()]
    await world.markWritten()
    const { body: dependency } = await depend(from, to.id)
    assert.deepEqual(dependency, {
      id: dependency.id,
      object: 'dependency',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      project,
      from: from.id,
      to: to.id,
      kind: 'blocks',
      creator: { type: 'organization', id: world.acme.id },
    })
    assert.match(dependency.id, /^dep_/)
    await world.assertWritten({ events: ['workflow.dependency.created'], audit: ['task_dependencies.create'] })
    assert.deepEqual((await world.get(`/v1/tasks/${from.id}/dependencies`)).body.data, [dependency])
  })

  it('only outgoing dependencies are listed, newest first', async () => {
    const [from, to, other] = [await newTask(), await newTask(), await newTask()]
    const first = (await depend(from, to.id, 'relates_to')).body
    const second = (await depend(from, other.id, 'duplicates')).body
    assert.deepEqual((await world.get(`/v1/tasks/${from.id}/dependencies`)).body.data, [second, first])
    assert.deepEqual((await world.get(`/v1/tasks/${to.id}/dependencies`)).body.data, [])
    const page = (await world.get(`/v1/tasks/${from.id}/dependencies?limit=1&fields=to`)).body
    assert.deepEqual([page.data, page.next_cursor], [[{ to: other.id }], second.id])
    const elsewhere = await world.get(`/v1/tasks/${to.id}/dependencies?starting_after=${second.id}`)
    assert.equal(elsewhere.body.error.code, 'cursor_filter_mismatch')
  })

  it('both tasks may be named by key', async () => {
    const [from, to] = [await newTask(), await newTask()]
    const path = `/v1/tasks/${from.key}/dependencies`
    const made = await world.make(path, { workspace, to: to.key })
    assert.deepEqual([made.from, made.to], [from.id, to.id])
    assert.deepEqual((await world.get(path)).body.data, [made])
    assert.equal((await world.delete(`${path}/${made.id}`)).status, 200)
  })

  it('an unusable task and an unknown kind are refused by name', async () => {
    const from = await newTask()
    const deleted = await newTask()
    await world.delete(`/v1/tasks/${deleted.id}`)
    const strange = (await world.make('/v1/workspaces', { title: 'Another' })).id
    const elsewhere = await world.make('/v1/tasks', { workspace: strange, title: 'Elsewhere' })
    await world.markWritten()
    for (const to of [newId('tsk', started_at), deleted.id, deleted.key, elsewhere.id, from.id, from.key, 'KEP-999']) {
      const reply = await depend(from, to)
      assert.equal(reply.status, 400, to)
      assert.deepEqual([reply.body.error.code, reply.body.error.param], ['invalid_request_body', 'to'])
    }
    assert.equal((await depend(from, deleted.id, 'hinders')).body.error.param, 'kind')
    const missing = await world.post(`/v1/tasks/${from.id}/dependencies`, { workspace })
    assert.equal(missing.body.error.param, 'to')
    await world.assertWritten({ events: [], audit: [] })
  })

  it('tasks of different projects or without a project cannot depend on each other', async () => {
    const other = (await world.make('/v1/projects', { workspace, name: 'Another' })).id
    const inside = await newTask()
    const outside = await newTask({ project: other })
    const [free, alsoFree] = [await newTask({ project: null }), await newTask({ project: null })]
    await world.markWritten()
    for (const [from, to] of [
      [inside, outside],
      [inside, free],
      [free, inside],
      [free, alsoFree],
    ] as const) {
      const reply = await depend(from, to.id)
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a duplicate is refused, except with another kind, reversed or after deletion', async () => {
    const [from, to] = [await newTask(), await newTask()]
    const first = (await depend(from, to.id, 'relates_to')).body
    const twin = await depend(from, to.key, 'relates_to')
    assert.deepEqual([twin.status, twin.body.error.code], [409, 'resource_conflict'])
    assert.equal((await depend(from, to.id, 'duplicates')).status, 200)
    assert.equal((await depend(to, from.id, 'relates_to')).status, 200)
    await world.delete(`/v1/tasks/${from.id}/dependencies/${first.id}`)
    assert.equal((await depend(from, to.id, 'relates_to')).status, 200)
  })

  it('blocks and precedes together form no cycle; other kinds may', async () => {
    const [a, b, c] = [await newTask(), await newTask(), await newTask()]
    assert.equal((await depend(a, b.id, 'blocks')).status, 200)
    const last = await depend(b, c.id, 'precedes')
    assert.equal(last.status, 200)
    await world.markWritten()
    for (const [from, to, kind] of [
      [b, a, 'blocks'],
      [b, a, 'precedes'],
      [c, a, 'blocks'],
      [c, a, 'precedes'],
    ] as const) {
      const reply = await depend(from, to.id, kind)
      assert.deepEqual([reply.status, reply.body.error.code, reply.body.error.param], [409, 'resource_conflict', 'to'])
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await depend(c, a.id, 'relates_to')).status, 200)
    assert.equal((await depend(c, a.id, 'duplicates')).status, 200)
    assert.equal((await depend(a, c.id, 'blocks')).status, 200)
    await world.delete(`/v1/tasks/${b.id}/dependencies/${last.body.id}`)
    assert.equal((await depend(b, a.id, 'precedes')).status, 409)
    assert.equal((await depend(c, b.id, 'precedes')).status, 200)
    assert.equal((await depend(b, c.id, 'blocks')).status, 409)
  })

  it('a cycle is found across thousands of dependencies and many paths to the same task', async () => {
    const tasks = [await newTask(), await newTask()] as [CreatedTask, CreatedTask]
    const realm = world.acme.realms.live
    const between = Array.from({ length: 3000 }, () => newId('tsk', started_at))
    const chain = [tasks[0].id, ...between, tasks[1].id]
    await world.services.store.write('system', async (tx) => {
      const link = (from: string, to: string) =>
        tx.insert('dependencies', {
          realm,
          id: newId('dep', started_at),
          created: started_at,
          updated: started_at,
          revision: 1,
          deleted_at: null,
          workspace,
          project,
          from,
          to,
          kind: 'blocks',
          creator_type: 'organization',
          creator_id: world.acme.id,
        })
      for (let i = 0; i + 1 < chain.length; i++) link(chain[i] as string, chain[i + 1] as string)
      for (let i = 0; i + 2 < 200; i++) link(chain[i] as string, chain[i + 2] as string)
    })
    assert.equal((await depend(tasks[1], tasks[0].id)).status, 409)
    assert.equal((await depend(tasks[0], tasks[1].id)).status, 200)
  })

  it('a deleted dependency answers 410, one below another task 404', async () => {
    const [from, to] = [await newTask(), await newTask()]
    const { body: dependency } = await depend(from, to.id)
    await world.markWritten()
    for (const path of [
      `/v1/tasks/${to.id}/dependencies/${dependency.id}`,
      `/v1/tasks/${from.id}/dependencies/${newId('dep', started_at)}`,
    ]) {
      const reply = await world.delete(path)
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
    }
    const foreign = { key: world.globex.key }
    assert.equal((await world.delete(`/v1/tasks/${from.id}/dependencies/${dependency.id}`, foreign)).status, 404)
    await world.assertWritten({ events: [], audit: [] })
    const path = `/v1/tasks/${from.id}/dependencies/${dependency.id}`
    assert.deepEqual((await world.delete(path)).body, { id: dependency.id, object: 'dependency', deleted: true })
    await world.assertWritten({ events: ['workflow.dependency.deleted'], audit: ['task_dependencies.delete'] })
    assert.equal((await world.delete(path)).status, 410)
  })

  it('dependencies of an archived project can be read but not written', async () => {
    const old = (await world.make('/v1/projects', { workspace, name: 'Done with' })).id
    const [from, to, other] = [
      await newTask({ project: old }),
      await newTask({ project: old }),
      await newTask({ project: old }),
    ]
    const { body: dependency } = await depend(from, to.id)
    await world.make(`/v1/projects/${old}/archive`, {})
    await world.markWritten()
    for (const reply of [
      await depend(from, other.id),
      await world.delete(`/v1/tasks/${from.id}/dependencies/${dependency.id}`),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(`/v1/tasks/${from.id}/dependencies`)).body.data, [dependency])
  })
})
