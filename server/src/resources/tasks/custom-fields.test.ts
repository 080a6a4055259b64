import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { addMember } from '../members/write.ts'

onEveryWorld('custom fields of tasks', (world) => {
  let workspace: string
  let inactive: string
  before(async () => {
    workspace = await newWorkspace()
    for (const type of ['text', 'number', 'date', 'checkbox', 'person', 'url']) await define(type, type)
    await define('stage', 'select', [{ id: 'alpha', name: 'First stage' }, option('beta')])
    await define('areas', 'multi_select', [option('api'), option('web')])
    inactive = (
      await addMember(world.services, world.acme.id, { email: 'gone@example.com', status: 'inactive' } as const)
    ).user
  })

  const newWorkspace = async (): Promise<string> => (await world.make('/v1/workspaces', { title: 'Kubernetes' })).id
  const option = (id: string) => ({ id, name: `Option ${id}` })
  const define = (key: string, type: string, options: object[] = [], place = workspace) =>
    world.make('/v1/custom_fields', { workspace: place, key, name: key, type, options })
  const make = (custom_fields: object = {}, place = workspace) =>
    world.make('/v1/tasks', { workspace: place, title: 'Write', custom_fields })

  it('values that fit their type are accepted, those of undefined keys as before', async () => {
    const fields = {
      text: 'Any',
      number: -2.5,
      date: '2028-02-29',
      checkbox: false,
      person: world.acme.user,
      url: 'https://example.com/a?b=c#d',
      stage: 'alpha',
      areas: ['web', 'api'],
      free: [' a '],
    }
    const task = await make(fields)
    assert.deepEqual(task.custom_fields, fields)
    assert.deepEqual((await world.get(`/v1/tasks/${task.id}`)).body.custom_fields, fields)
    const emptied = await world.patch(`/v1/tasks/${task.id}`, { custom_fields: { number: null, areas: [] } })
    const { number: _, ...rest } = fields
    assert.deepEqual(emptied.body.custom_fields, { ...rest, areas: [] })
  })

  it('a value that does not fit is refused with its key, and nothing is written', async () => {
    const task = await make()
    const wrong: [string, unknown][] = [
      ['text', 1],
      ['number', '1'],
      ['number', true],
      ['date', '2026-02-29'],
      ['date', '2026-1-1'],
      ['date', 1_790_000_000],
      ['checkbox', 'true'],
      ['person', 'usr_01J00000000000000000000000'],
      ['person', 'owner@acme.example'],
      ['person', world.globex.user],
      ['person', inactive],
      ['url', '/relative'],
      ['url', 'ftp://example.com'],
      ['url', 'https://exa mple.com'],
      ['stage', 'First stage'],
      ['stage', ['alpha']],
      ['areas', 'api'],
      ['areas', ['api', 'api']],
      ['areas', ['api', 'ios']],
    ]
    await world.markWritten()
    for (const [key, value] of wrong) {
      const custom_fields = { [key]: value }
      const param = `custom_fields.${key}`
      const created = await world.post('/v1/tasks', { workspace, title: 'Write', custom_fields })
      assertRefused(created, 'invalid_request_body', param)
      assertRefused(await world.patch(`/v1/tasks/${task.id}`, { custom_fields }), 'invalid_request_body', param)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a refusal says the value and what fits', async () => {
    const message = async (custom_fields: object) =>
      (await world.post('/v1/tasks', { workspace, title: 'Write', custom_fields })).body.error.message
    assert.equal(
      await message({ stage: 'First stage' }),
      'The field `custom_fields.stage` cannot be "First stage": "stage" is a field of type select. Did you mean alpha? Use one of the options by id: alpha, beta.',
    )
    assert.equal(
      await message({ number: [] }),
      'The field `custom_fields.number` cannot be []: "number" is a field of type number. Use a number, without quotes.',
    )
    assert.equal(
      await message({ person: world.globex.user }),
      (await message({ person: 'usr_01J00000000000000000000000' })).replace(
        'usr_01J00000000000000000000000',
        world.globex.user,
      ),
    )
  })

  it('batch, bulk, import and templates check them, too, and name the place', async () => {
    const task = await make()
    const custom_fields = { number: 'three' }
    const draft = { title: 'Write', custom_fields }
    const refused = async (path: string, body: object, param: string, code = 'invalid_request_body') =>
      assertRefused(await world.post(path, { workspace, ...body }), code, param)
    await world.markWritten()
    await refused('/v1/tasks/batch', { data: [{ title: 'First' }, draft] }, 'data[1].custom_fields.number')
    await refused('/v1/tasks/bulk', { tasks: [task.id], set: { custom_fields } }, 'set.custom_fields.number')
    const imported = { source: 'jira', data: [{ external_id: 'A-1', ...draft }] }
    await refused('/v1/tasks/import', imported, 'data[0].custom_fields.number')
    await refused('/v1/task_templates', { name: 'T', defaults: { custom_fields } }, 'defaults.custom_fields.number')
    await world.assertWritten({ events: [], audit: [] })
    const template = await world.make('/v1/task_templates', {
      workspace,
      name: 'T',
      defaults: { title: 'Cut', custom_fields: { later: 1 } },
    })
    const path = `/v1/task_templates/${template.id}/instantiate`
    await refused(path, { custom_fields }, 'custom_fields.number')
    await define('later', 'text')
    await refused(path, {}, 'custom_fields.later', 'resource_conflict')
    const made = await world.make(path, { workspace, custom_fields: { later: 'yes', number: 3 } })
    assert.deepEqual(made.custom_fields, { later: 'yes', number: 3 })
  })

  it('a value from before stays, stops no other write, and is refused where it would be new', async () => {
    const place = await newWorkspace()
    const old = await make({ points: 'three', stage: 'gone', areas: ['gone'] }, place)
    await define('points', 'number', [], place)
    const stage = await define('stage', 'select', [option('alpha'), option('beta')], place)
    await define('areas', 'multi_select', [option('api')], place)
    const path = `/v1/tasks/${old.id}`
    assert.deepEqual((await world.get(path)).body.custom_fields, old.custom_fields)
    assert.equal(
      (await world.patch(path, { title: 'Changed', custom_fields: old.custom_fields })).body.title,
      'Changed',
    )
    const areas = await world.patch(path, { custom_fields: { areas: ['gone', 'api'] } })
    assertRefused(areas, 'invalid_request_body', 'custom_fields.areas')
    const fixed = await world.patch(path, { custom_fields: { points: 3, stage: 'alpha' } })
    assert.deepEqual(fixed.body.custom_fields, { points: 3, stage: 'alpha', areas: ['gone'] })
    assertRefused(
      await world.patch(path, { custom_fields: { stage: 'gone' } }),
      'invalid_request_body',
      'custom_fields.stage',
    )
    const kept = [{ id: 'beta', name: 'Renamed' }]
    assert.equal((await world.patch(`/v1/custom_fields/${stage.id}`, { options: kept })).status, 200)
    assert.deepEqual((await world.get(path)).body, fixed.body)
    await world.delete(`/v1/custom_fields/${stage.id}`)
    assert.equal((await world.patch(path, { custom_fields: { stage: 5 } })).body.custom_fields.stage, 5)
  })
})
