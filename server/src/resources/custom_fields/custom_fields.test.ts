import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { assertFolds } from '../../../test/fold.ts'
import { onEveryWorld, started_at } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'

onEveryWorld('custom fields', (world) => {
  let workspace: string
  before(async () => {
    workspace = await newWorkspace()
  })

  const newWorkspace = async (): Promise<string> => (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  const make = (key: string, type: string, more: object = {}) =>
    world.make('/v1/custom_fields', { workspace, key, name: key, type, ...more })

  it('creating one writes it, one event and one audit entry', async () => {
    await world.markWritten()
    const options = [{ id: 'todo', name: 'To do', color: '#3366ff' }, { name: 'Later' }]
    const field = await make('stage', 'select', { name: 'Stage', options })
    const later = field.options[1].id
    assert.match(later, /^[a-z0-9_]{1,40}$/)
    assert.deepEqual(field, {
      id: field.id,
      object: 'custom_field',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      key: 'stage',
      name: 'Stage',
      type: 'select',
      options: [
        { id: 'todo', name: 'To do', color: '#3366ff' },
        { id: later, name: 'Later', color: null },
      ],
      position: 1024,
      revision: 1,
    })
    assert.match(field.id, /^cfd_/)
    await world.assertWritten({ events: ['workflow.custom_field.created'], audit: ['custom_fields.create'] })
    assert.deepEqual((await world.get(`/v1/custom_fields/${field.id}`)).body, field)
    assert.equal((await make('next', 'text')).position, 2048)
  })

  it('a change keeps the ids of options by id and by name, and key and type never change', async () => {
    const field = await make('level', 'select', { options: [{ id: 'low', name: 'Low' }, { name: 'High' }] })
    const high = field.options[1].id
    const path = `/v1/custom_fields/${field.id}`
    await world.markWritten()
    const options = [{ name: 'high', color: '#ff0000' }, { id: 'low', name: 'Lowest' }, { name: 'New' }]
    const { body } = await world.patch(path, { name: 'Level', options, key: 'level', type: 'select' })
    assert.deepEqual(body.options.slice(0, 2), [
      { id: high, name: 'high', color: '#ff0000' },
      { id: 'low', name: 'Lowest', color: null },
    ])
    assert.equal(new Set(body.options.map((option: { id: string }) => option.id)).size, 3)
    assert.deepEqual([body.name, body.revision], ['Level', 2])
    await world.assertWritten({ events: ['workflow.custom_field.updated'], audit: ['custom_fields.update'] })
    assert.deepEqual((await world.patch(path, { options: body.options, name: 'Level' })).body, body)
    assertRefused(await world.patch(path, { key: 'other' }), 'invalid_request_body', 'key')
    assertRefused(await world.patch(path, { type: 'text' }), 'invalid_request_body', 'type')
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(path)).body, body)
  })

  it('a key is defined once in a workspace, and again after its field was deleted', async () => {
    const first = await make('points', 'number')
    const again = { workspace, key: 'points', name: 'Points', type: 'text' }
    assertRefused(await world.post('/v1/custom_fields', again), 'resource_conflict', 'key')
    const elsewhere = await newWorkspace()
    await make('points', 'date', { workspace: elsewhere })
    await world.markWritten()
    const path = `/v1/custom_fields/${first.id}`
    assert.deepEqual((await world.delete(path)).body, { id: first.id, object: 'custom_field', deleted: true })
    await world.assertWritten({ events: ['workflow.custom_field.deleted'], audit: ['custom_fields.delete'] })
    assertRefused(await world.get(path), 'resource_deleted', null)
    const second = await make('points', 'text')
    const { data } = (await world.get(`/v1/custom_fields?workspace=${workspace}&limit=1`)).body
    assert.deepEqual(data, [second])
  })

  it('a workspace has at most 50 fields', async () => {
    const full = await newWorkspace()
    for (let i = 0; i < limits.fields_defined_max; i++) await make(`f${i}`, 'text', { workspace: full })
    const more = { workspace: full, key: 'more', name: 'More', type: 'text' }
    await world.markWritten()
    assertRefused(await world.post('/v1/custom_fields', more), 'resource_conflict', 'key')
    await world.assertWritten({ events: [], audit: [] })
    const [last] = (await world.get(`/v1/custom_fields?workspace=${full}`)).body.data
    await world.delete(`/v1/custom_fields/${last.id}`)
    assert.equal((await world.make('/v1/custom_fields', more)).key, 'more')
    assertRefused(await world.delete(`/v1/workspaces/${full}`), 'resource_conflict', null)
  })

  it('another organization does not see it, and folding the events gives what GET answers', async () => {
    const field = await make('secret', 'text')
    const foreign = await world.get(`/v1/custom_fields/${field.id}`, { key: world.globex.key })
    assertRefused(foreign, 'resource_not_found', null)
    await assertFolds(world)
  })
})
