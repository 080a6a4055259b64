import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld, started_at } from '../../../test/world.ts'

onEveryWorld('columns', (world) => {
  let workspace: string
  let other: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    other = (await world.make('/v1/workspaces', { title: 'Elsewhere' })).id
  })

  const newProject = async (place = workspace): Promise<string> =>
    (await world.make('/v1/projects', { workspace: place, name: 'Sidecars' })).id
  const make = (project: string, fields: object = {}) =>
    world.make('/v1/columns', { workspace, project, name: 'Open', ...fields })

  it('creating a column writes it, one event and one audit entry', async () => {
    const project = await newProject()
    await world.markWritten()
    const column = await make(project, { position: -0.5, color: '#3366FF' })
    assert.deepEqual(column, {
      id: column.id,
      object: 'column',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      project,
      name: 'Open',
      position: -0.5,
      color: '#3366FF',
      status: null,
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.column.created'], audit: ['columns.create'] })
    assert.deepEqual((await world.get(`/v1/columns/${column.id}`)).body, column)
  })

  it('without a position a column is the last of its project', async () => {
    const project = await newProject()
    const positions = []
    for (let i = 0; i < 2; i++) positions.push((await make(project)).position)
    const last = await make(project, { position: 5000.5 })
    positions.push((await make(project)).position)
    await make(await newProject(), { position: 1e9 })
    assert.deepEqual(positions, [1024, 2048, 6024.5])
    await world.delete(`/v1/columns/${last.id}`)
    assert.equal((await make(project, { position: 1e15 })).position, 1e15)
    assert.equal((await make(project)).position, 1e15)
  })

  it('references in a body must exist in the workspace, otherwise 400 with the field', async () => {
    const project = await newProject()
    const elsewhere = await newProject(other)
    await world.markWritten()
    const refused = async (fields: object, param: string) => {
      const reply = await world.post('/v1/columns', { workspace, project, name: 'N', ...fields })
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
    }
    await refused({ workspace: 'wsp_none' }, 'workspace')
    await refused({ project: elsewhere }, 'project')
    await refused({ project: null }, 'project')
    await refused({ color: 'red' }, 'color')
    await refused({ position: '5' }, 'position')
    await refused({ position: 1e16 }, 'position')
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an update writes the fields that differ, and nothing without a difference', async () => {
    const column = await make(await newProject(), { color: '#3366ff' })
    await world.markWritten()
    const path = `/v1/columns/${column.id}`
    const fields = { name: 'Closed', position: 0, color: null }
    const changed = await world.patch(path, { ...fields, workspace })
    assert.deepEqual(changed.body, { ...column, ...fields, revision: 2 })
    await world.assertWritten({ events: ['workflow.column.updated'], audit: ['columns.update'] })
    assert.deepEqual((await world.patch(path, fields)).body, changed.body)
    await world.assertWritten({ events: [], audit: [] })
    const moved = await world.patch(path, { project: await newProject() })
    assert.deepEqual([moved.status, moved.body.error.param], [400, 'project'])
  })

  it('a deleted column answers 410, a foreign one 404', async () => {
    const column = await make(await newProject())
    const path = `/v1/columns/${column.id}`
    assert.equal((await world.get(path, { key: world.globex.key })).status, 404)
    assert.equal((await world.get(`${path}?workspace=${other}`)).status, 404)
    await world.markWritten()
    assert.deepEqual((await world.delete(path)).body, { id: column.id, object: 'column', deleted: true })
    await world.assertWritten({ events: ['workflow.column.deleted'], audit: ['columns.delete'] })
    for (const method of ['GET', 'PATCH', 'DELETE']) assert.equal((await world.call(method, path)).status, 410)
  })

  it('the list shows one project, newest first; a cursor of another project is refused', async () => {
    const project = await newProject()
    const made = [await make(project), await make(project), await make(project)]
    const elsewhere = await make(await newProject())
    const path = `/v1/columns?project=${project}`
    assert.deepEqual((await world.get(path)).body.data, [...made].reverse())
    assert.deepEqual((await world.get(`${path}&ending_before=${made[0].id}&limit=1`)).body.data, [made[1]])
    assert.deepEqual((await world.get(`${path}&workspace=${other}`)).body.data, [])
    const mismatch = await world.get(`${path}&starting_after=${elsewhere.id}`)
    assert.equal(mismatch.body.error.code, 'cursor_filter_mismatch')
    const unknown = await world.get('/v1/columns?project=prj_none')
    assert.deepEqual([unknown.body.error.code, unknown.body.error.param], ['invalid_query_parameter', 'project'])
  })

  it('reordering answers in the order sent and emits events only for moved columns', async () => {
    const project = await newProject()
    const [a, b, c] = [await make(project), await make(project), await make(project)]
    await world.markWritten()
    const reply = await world.post('/v1/columns/reorder', { workspace, project, data: [c.id, b.id, a.id] })
    assert.deepEqual(reply.body, {
      object: 'list',
      url: '/v1/columns',
      has_more: false,
      next_cursor: null,
      data: [{ ...c, position: 1024, revision: 2 }, b, { ...a, position: 3072, revision: 2 }],
    })
    await world.assertWritten({
      events: ['workflow.column.updated', 'workflow.column.updated'],
      audit: ['columns.reorder'],
    })
    const again = await world.post('/v1/columns/reorder', { workspace, project, data: [c.id, b.id, a.id] })
    assert.deepEqual(again.body, reply.body)
    await world.assertWritten({ events: [], audit: [] })
    await assertFolds(world)
  })

  it('reordering accepts positions, and a missing column keeps its position', async () => {
    const project = await newProject()
    const [a, b, c] = [await make(project), await make(project), await make(project)]
    const data = [{ id: b.id, position: 0.25 }, a.id]
    const reply = await world.make('/v1/columns/reorder', { workspace, project, data })
    assert.deepEqual(
      reply.data.map((column: { id: string; position: number }) => [column.id, column.position]),
      [
        [b.id, 0.25],
        [a.id, 2048],
      ],
    )
    assert.deepEqual((await world.get(`/v1/columns/${c.id}`)).body, c)
  })

  it('an unknown, foreign, deleted or repeated column refuses the whole reorder', async () => {
    const project = await newProject()
    const [a, b, gone] = [await make(project), await make(project), await make(project)]
    const elsewhere = await make(await newProject())
    await world.delete(`/v1/columns/${gone.id}`)
    await world.markWritten()
    const refused = async (data: unknown, param: string, fields: object = {}) => {
      const reply = await world.post('/v1/columns/reorder', { workspace, project, data, ...fields })
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
    }
    await refused([b.id, 'col_none'], 'data[1]')
    await refused([{ id: elsewhere.id, position: 5 }, b.id], 'data[0]')
    await refused([b.id, a.id, gone.id], 'data[2]')
    await refused([b.id, a.id, { id: b.id, position: 1 }], 'data[2]')
    await refused([], 'data')
    await refused(Array(101).fill(a.id), 'data')
    await refused([a.id], 'project', { project: 'prj_none' })
    await refused([a.id], 'project', { workspace: other })
    await refused([a.id], 'workspace', { workspace: 'wsp_none' })
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(`/v1/columns?project=${project}`)).body.data, [b, a])
  })

  it('a hundred columns are reordered in one commit', async () => {
    const project = await newProject()
    const ids: string[] = []
    for (let i = 0; i < 100; i++) ids.push((await make(project, { name: `C${i}` })).id)
    await world.markWritten()
    const reply = await world.make('/v1/columns/reorder', { workspace, project, data: ids.toReversed() })
    assert.deepEqual(
      reply.data.map((column: { id: string }) => column.id),
      ids.toReversed(),
    )
    await world.assertWritten({ events: Array(100).fill('workflow.column.updated'), audit: ['columns.reorder'] })
  })
})
