import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'

onEveryWorld('projects', (world) => {
  let workspace: string
  let other: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
    other = (await world.make('/v1/workspaces', { title: 'Elsewhere' })).id
  })

  const make = (fields: object = {}) => world.make('/v1/projects', { workspace, name: 'Sidecars', ...fields })
  const noon = started_at / 1000

  it('creating a project writes it, one event and one audit entry', async () => {
    const portfolio = await world.make('/v1/portfolios', { workspace, name: 'Node' })
    await world.markWritten()
    const project = await make({ description: 'Containers', portfolio: portfolio.id })
    assert.deepEqual(project, {
      id: project.id,
      object: 'project',
      created: noon,
      updated: noon,
      workspace,
      portfolio: portfolio.id,
      name: 'Sidecars',
      description: 'Containers',
      status: 'active',
      archived_at: null,
      duplicated_from: null,
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.project.created'], audit: ['projects.create'] })
    assert.deepEqual((await world.get(`/v1/projects/${project.id}`)).body, project)
  })

  it('an empty description becomes null', async () => {
    const project = await make({ description: '' })
    assert.equal(project.description, null)
    const described = await world.patch(`/v1/projects/${project.id}`, { description: 'Some' })
    assert.equal(described.body.description, 'Some')
    assert.equal((await world.patch(`/v1/projects/${project.id}`, { description: '' })).body.description, null)
  })

  it('references in a body must exist in the workspace, otherwise 400 with the field', async () => {
    const foreign = await world.make('/v1/workspaces', { title: 'Foreign' }, { key: world.globex.key })
    const elsewhere = await world.make('/v1/portfolios', { workspace: other, name: 'Elsewhere' })
    const gone = await world.make('/v1/portfolios', { workspace, name: 'Gone' })
    await world.delete(`/v1/portfolios/${gone.id}`)
    await world.markWritten()
    const refused = async (fields: object, param: string) => {
      const reply = await world.post('/v1/projects', { workspace, name: 'N', ...fields })
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
    }
    await refused({ workspace: foreign.id }, 'workspace')
    await refused({ workspace: 'wsp_none' }, 'workspace')
    await refused({ portfolio: elsewhere.id }, 'portfolio')
    await refused({ portfolio: gone.id }, 'portfolio')
    await refused({ portfolio: '' }, 'portfolio')
    await refused({ name: '' }, 'name')
    await refused({ status: 'archived' }, 'status')
    const project = await make()
    await world.markWritten()
    const reply = await world.patch(`/v1/projects/${project.id}`, { name: 'New', portfolio: elsewhere.id })
    assert.deepEqual([reply.status, reply.body.error.param], [400, 'portfolio'])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an update writes the fields that differ and raises the revision by one', async () => {
    const portfolio = await world.make('/v1/portfolios', { workspace, name: 'Node' })
    const project = await make()
    await world.markWritten()
    const fields = { name: 'New', description: 'Text', portfolio: portfolio.id }
    const reply = await world.patch(`/v1/projects/${project.id}`, fields)
    assert.deepEqual(reply.body, { ...project, ...fields, revision: 2 })
    await world.assertWritten({ events: ['workflow.project.updated'], audit: ['projects.update'] })
    assert.deepEqual((await world.patch(`/v1/projects/${project.id}`, fields)).body, reply.body)
    assert.deepEqual((await world.patch(`/v1/projects/${project.id}`)).body, reply.body)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a PATCH with an older revision is refused and changes nothing', async () => {
    const project = await make()
    await world.patch(`/v1/projects/${project.id}`, { name: 'Newer' })
    const headers = { 'if-match': '1' }
    const reply = await world.patch(`/v1/projects/${project.id}`, { name: 'Late' }, { headers })
    assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'])
    const removal = await world.delete(`/v1/projects/${project.id}`, { headers })
    assert.equal(removal.status, 409)
    assert.equal((await world.get(`/v1/projects/${project.id}`)).body.name, 'Newer')
  })

  it('archiving an archived project changes nothing, by either operation and with any time', async () => {
    const project = await make()
    world.clock.advance(1500)
    await world.markWritten()
    const archived = await world.post(`/v1/projects/${project.id}/archive`)
    assert.deepEqual(archived.body, {
      ...project,
      updated: noon + 1,
      status: 'archived',
      archived_at: noon + 1,
      revision: 2,
    })
    await world.assertWritten({ events: ['workflow.project.archived'], audit: ['projects.archive'] })
    world.clock.advance(60_000)
    assert.deepEqual((await world.post(`/v1/projects/${project.id}/archive`, {})).body, archived.body)
    for (const archived_at of [noon + 1, 5]) {
      assert.deepEqual((await world.patch(`/v1/projects/${project.id}`, { archived_at })).body, archived.body)
    }
    await world.assertWritten({ events: [], audit: [] })
    world.clock.set(started_at)
  })

  it('PATCH archives at the time sent, 0 included, and null restores', async () => {
    const project = await make()
    await world.markWritten()
    const archived = await world.patch(`/v1/projects/${project.id}`, { archived_at: 0 })
    assert.deepEqual(archived.body, { ...project, status: 'archived', archived_at: 0, revision: 2 })
    const back = await world.patch(`/v1/projects/${project.id}`, { archived_at: null, name: 'Back' })
    assert.deepEqual(back.body, { ...project, name: 'Back', revision: 3 })
    assert.deepEqual((await world.patch(`/v1/projects/${project.id}`, { archived_at: null })).body, back.body)
    await world.assertWritten({
      events: ['workflow.project.archived', 'workflow.project.unarchived'],
      audit: ['projects.update', 'projects.update'],
    })
    for (const archived_at of [-1, 1.5, '5', 9007199254740991]) {
      const reply = await world.patch(`/v1/projects/${project.id}`, { archived_at })
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'archived_at'], String(archived_at))
    }
  })

  it('an archived project accepts no change and no column, but can be restored and deleted', async () => {
    const project = await make()
    const column = await world.make('/v1/columns', { workspace, project: project.id, name: 'Open' })
    await world.post(`/v1/projects/${project.id}/archive`)
    await world.markWritten()
    const refused = async (method: string, path: string, body?: object) => {
      const reply = await world.call(method, path, { body })
      assert.deepEqual([reply.status, reply.body.error.code], [409, 'resource_conflict'], `${method} ${path}`)
    }
    for (const body of [
      { name: 'New' },
      { description: 'New' },
      { portfolio: null },
      { name: 'New', archived_at: 5 },
    ]) {
      await refused('PATCH', `/v1/projects/${project.id}`, body)
    }
    await refused('POST', '/v1/columns', { workspace, project: project.id, name: 'More' })
    await refused('PATCH', `/v1/columns/${column.id}`, { name: 'New' })
    await refused('DELETE', `/v1/columns/${column.id}`)
    await refused('POST', '/v1/columns/reorder', { workspace, project: project.id, data: [column.id] })
    await refused('POST', '/v1/tasks', { workspace, project: project.id, title: 'New' })
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.get(`/v1/columns/${column.id}`)).status, 200)
    assert.equal((await world.delete(`/v1/projects/${project.id}`)).status, 200)
  })

  it('a deleted project answers 410 to every operation', async () => {
    const project = await make()
    await world.markWritten()
    const reply = await world.delete(`/v1/projects/${project.id}`)
    assert.deepEqual(reply.body, { id: project.id, object: 'project', deleted: true })
    await world.assertWritten({ events: ['workflow.project.deleted'], audit: ['projects.delete'] })
    const path = `/v1/projects/${project.id}`
    const uses: [string, string, object?][] = [
      ['GET', path],
      ['PATCH', path, { name: 'New' }],
      ['DELETE', path],
      ['POST', `${path}/archive`],
      ['POST', `${path}/duplicate`],
    ]
    for (const [method, to, body] of uses) {
      const late = await world.call(method, to, { body })
      assert.deepEqual([late.status, late.body.error.code], [410, 'resource_deleted'], `${method} ${to}`)
    }
    const column = await world.post('/v1/columns', { workspace, project: project.id, name: 'Late' })
    assert.deepEqual([column.status, column.body.error.param], [400, 'project'])
  })

  it('a project of another organization, realm or workspace answers 404', async () => {
    const project = await make()
    const none = await world.get('/v1/projects/prj_none')
    const answers = [
      await world.get(`/v1/projects/${project.id}`, { key: world.globex.key }),
      await world.get(`/v1/projects/${project.id}`, { key: world.acme.testKey }),
      await world.get(`/v1/projects/${project.id}?workspace=${other}`),
      await world.patch(`/v1/projects/${project.id}`, { workspace: other, name: 'New' }),
      await world.delete(`/v1/projects/${project.id}?workspace=${other}`),
      await world.post(`/v1/projects/${project.id}/archive`, { workspace: other }),
      await world.post(`/v1/projects/${project.id}/duplicate`, { workspace: other }),
    ]
    for (const { status, body } of answers) {
      assert.equal(status, 404)
      assert.deepEqual({ ...body.error, request_id: '' }, { ...none.body.error, request_id: '' })
    }
    assert.deepEqual((await world.get(`/v1/projects/${project.id}?workspace=${workspace}`)).body, project)
  })

  it('the list shows one workspace, newest first, with archived and without deleted projects', async () => {
    const place = (await world.make('/v1/workspaces', { title: 'List' })).id
    const made = []
    for (const name of ['A', 'B', 'C', 'D']) made.push(await make({ workspace: place, name }))
    await world.delete(`/v1/projects/${made[1].id}`)
    const archived = (await world.post(`/v1/projects/${made[2].id}/archive`)).body
    const path = `/v1/projects?workspace=${place}`
    assert.deepEqual((await world.get(path)).body, {
      object: 'list',
      url: '/v1/projects',
      has_more: false,
      next_cursor: null,
      data: [made[3], archived, made[0]],
    })
    const page = await world.get(`${path}&limit=1&starting_after=${made[3].id}&fields=id,name`)
    assert.deepEqual(page.body.data, [{ id: archived.id, name: 'C' }])
    assert.deepEqual([page.body.has_more, page.body.next_cursor], [true, archived.id])
    assert.deepEqual((await world.get(`${path}&starting_after=${made[1].id}`)).body.data, [made[0]])
    const foreign = await world.get(`/v1/projects?workspace=${other}&starting_after=${made[0].id}`)
    assert.equal(foreign.body.error.code, 'cursor_filter_mismatch')
    const unknown = await world.get('/v1/projects?workspace=wsp_none')
    assert.deepEqual([unknown.body.error.code, unknown.body.error.param], ['invalid_query_parameter', 'workspace'])
  })

  it('a key without projects:write reads and cannot write', async () => {
    const project = await make()
    const { secret: key } = await world.key({ scopes: ['projects:read'] })
    assert.equal((await world.get(`/v1/projects/${project.id}`, { key })).status, 200)
    const reply = await world.post(`/v1/projects/${project.id}/archive`, undefined, { key })
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'insufficient_scope'])
  })
})
