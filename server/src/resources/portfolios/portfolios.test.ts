import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld, started_at } from '../../../test/world.ts'

onEveryWorld('portfolios', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  })

  const make = (fields: object = {}) => world.make('/v1/portfolios', { workspace, name: 'Node', ...fields })

  it('creating a portfolio writes it, one event and one audit entry', async () => {
    await world.markWritten()
    const portfolio = await make({ description: 'All about nodes' })
    assert.deepEqual(portfolio, {
      id: portfolio.id,
      object: 'portfolio',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      name: 'Node',
      description: 'All about nodes',
      status: 'active',
      archived_at: null,
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.portfolio.created'], audit: ['portfolios.create'] })
    assert.deepEqual((await world.get(`/v1/portfolios/${portfolio.id}`)).body, portfolio)
  })

  it('an unknown workspace is refused with the field', async () => {
    const reply = await world.post('/v1/portfolios', { workspace: 'wsp_none', name: 'N' })
    assert.deepEqual([reply.status, reply.body.error.code], [400, 'invalid_request_body'])
    assert.equal(reply.body.error.param, 'workspace')
  })

  it('an update writes the fields that differ, and nothing without a difference', async () => {
    const portfolio = await make()
    await world.markWritten()
    const path = `/v1/portfolios/${portfolio.id}`
    const changed = await world.patch(path, { name: 'Nodes', description: 'Text' })
    assert.deepEqual(changed.body, { ...portfolio, name: 'Nodes', description: 'Text', revision: 2 })
    await world.assertWritten({ events: ['workflow.portfolio.updated'], audit: ['portfolios.update'] })
    assert.deepEqual((await world.patch(path, { name: 'Nodes' })).body, changed.body)
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await world.patch(path, { description: '' })).body.description, null)
  })

  it('a time archives a portfolio once, null restores it, and its projects do not change', async () => {
    const portfolio = await make()
    const project = await world.make('/v1/projects', { workspace, name: 'Inside', portfolio: portfolio.id })
    const path = `/v1/portfolios/${portfolio.id}`
    await world.markWritten()
    const archived = await world.patch(path, { archived_at: 1000 })
    assert.deepEqual(archived.body, { ...portfolio, status: 'archived', archived_at: 1000, revision: 2 })
    assert.deepEqual((await world.patch(path, { archived_at: 2000 })).body, archived.body)
    assert.equal((await world.patch(path, { name: 'Still open to change' })).status, 200)
    assert.equal((await world.patch(path, { archived_at: null })).body.status, 'active')
    await world.assertWritten({
      events: ['workflow.portfolio.archived', 'workflow.portfolio.updated', 'workflow.portfolio.unarchived'],
      audit: Array(3).fill('portfolios.update'),
    })
    assert.deepEqual((await world.get(`/v1/projects/${project.id}`)).body, project)
    await assertFolds(world)
  })

  it('a deleted portfolio answers 410, a foreign one 404', async () => {
    const portfolio = await make()
    const path = `/v1/portfolios/${portfolio.id}`
    assert.equal((await world.get(path, { key: world.globex.key })).status, 404)
    assert.equal((await world.get(path, { key: world.acme.testKey })).status, 404)
    assert.equal((await world.delete(path, { key: world.globex.key })).status, 404)
    await world.markWritten()
    const reply = await world.delete(path)
    assert.deepEqual(reply.body, { id: portfolio.id, object: 'portfolio', deleted: true })
    await world.assertWritten({ events: ['workflow.portfolio.deleted'], audit: ['portfolios.delete'] })
    for (const method of ['GET', 'PATCH', 'DELETE']) assert.equal((await world.call(method, path)).status, 410)
  })

  it('the list shows one workspace, newest first, without deleted ones', async () => {
    const place = (await world.make('/v1/workspaces', { title: 'List' })).id
    const made = []
    for (const name of ['A', 'B', 'C']) made.push(await make({ workspace: place, name }))
    await world.delete(`/v1/portfolios/${made[1].id}`)
    const reply = await world.get(`/v1/portfolios?workspace=${place}`)
    assert.deepEqual(reply.body.data, [made[2], made[0]])
    assert.equal(reply.body.url, '/v1/portfolios')
    const selected = await world.get(`/v1/portfolios?workspace=${place}&fields=name&limit=1`)
    assert.deepEqual([selected.body.data, selected.body.fields_selected], [[{ name: 'C' }], true])
  })
})
