import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { noon, openTimesheet, refused, type Timesheet } from '../../../test/time-entries.ts'
import { onEveryWorld, openFirst, started_at } from '../../../test/world.ts'
import { newId } from '../../lib/ids.ts'

onEveryWorld('time entries', (world) => {
  const timesheet = openFirst(() => openTimesheet(world))
  let workspace: string
  let project: string
  let task: Timesheet['task']
  let serviceUser: string
  before(async () => {
    ;({ workspace, project, task } = timesheet)
    serviceUser = (await timesheet.record({ started_at: noon, ended_at: noon })).user
  })

  it('creating an entry writes it, one event and one audit entry', async () => {
    await world.markWritten()
    const entry = await timesheet.record({ started_at: noon - 3600, duration_ms: 1_800_000 })
    assert.deepEqual(entry, {
      id: entry.id,
      object: 'time_entry',
      created: noon,
      updated: noon,
      workspace,
      task: task.id,
      project,
      user: serviceUser,
      started_at: noon - 3600,
      ended_at: noon - 1800,
      duration_ms: 1_800_000,
      status: 'stopped',
      note: null,
      billable: false,
      source: 'manual',
      revision: 1,
    })
    assert.match(entry.id, /^tme_/)
    assert.notEqual(serviceUser, world.acme.user)
    await world.assertWritten({ events: ['workflow.time_entry.created'], audit: ['time_entries.create'] })
    assert.deepEqual((await world.get(`/v1/time_entries/${entry.id}`)).body, entry)
  })

  it('two of the times are required, and all three must agree', async () => {
    await world.markWritten()
    const path = '/v1/time_entries'
    const base = { workspace, task: task.id }
    refused(await world.post(path, base), 400, 'invalid_request_body', 'started_at')
    refused(await world.post(path, { ...base, duration_ms: 1 }), 400, 'invalid_request_body', 'started_at')
    refused(
      await world.post(path, { ...base, started_at: noon, ended_at: noon - 1 }),
      400,
      'invalid_request_body',
      'ended_at',
    )
    const three = { ...base, started_at: noon - 60, ended_at: noon }
    refused(await world.post(path, { ...three, duration_ms: 61_000 }), 400, 'invalid_request_body', 'duration_ms')
    refused(await world.post(path, { ...three, duration_ms: -1 }), 400, 'invalid_request_body', 'duration_ms')
    refused(await world.post(path, { ...base, started_at: 2 ** 53 - 1 }), 400, 'invalid_request_body', 'started_at')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal(
      (await timesheet.record({ started_at: noon - 60, ended_at: noon, duration_ms: 60_000 })).duration_ms,
      60_000,
    )
  })

  it('every field is stored as sent', async () => {
    const user = await timesheet.newMember()
    const other = (await world.make('/v1/projects', { workspace, name: 'Other' })).id
    const entry = await timesheet.record({
      task: task.key,
      project: other,
      user,
      ended_at: noon,
      duration_ms: 1,
      note: 'Reviewed',
      billable: true,
    })
    assert.deepEqual(
      [entry.task, entry.project, entry.user, entry.note, entry.billable, entry.started_at, entry.ended_at],
      [task.id, other, user, 'Reviewed', true, noon - 1, noon],
    )
    const bare = await timesheet.record({ project: null, user: null, started_at: noon, ended_at: noon, note: '' })
    assert.deepEqual([bare.project, bare.user, bare.note], [null, serviceUser, null])
  })

  it('the entry belongs to the user of the key by default', async () => {
    const user = await timesheet.newMember()
    const { secret } = await world.key({ owner: { type: 'user', id: user } })
    const entry = await world.make(
      '/v1/time_entries',
      { workspace, task: task.id, started_at: noon, ended_at: noon },
      { key: secret },
    )
    assert.equal(entry.user, user)
    const forService = await world.make(
      '/v1/time_entries',
      { workspace, task: task.id, user: serviceUser, started_at: noon, ended_at: noon },
      { key: secret },
    )
    assert.equal(forService.user, serviceUser)
  })

  it('create, start and PATCH refuse unusable references by name', async () => {
    const strange = (await world.make('/v1/workspaces', { title: 'Another' })).id
    const elsewhere = await world.make('/v1/tasks', { workspace: strange, title: 'Elsewhere' })
    const strangeProject = (await world.make('/v1/projects', { workspace: strange, name: 'Elsewhere' })).id
    const deleted = await world.make('/v1/tasks', { workspace, title: 'Doomed' })
    await world.delete(`/v1/tasks/${deleted.id}`)
    const inactive = await timesheet.newMember('inactive')
    const entry = await timesheet.record({ started_at: noon, ended_at: noon })
    await world.markWritten()
    const wrong: [string, string][] = [
      ['task', newId('tsk', started_at)],
      ['task', elsewhere.id],
      ['task', deleted.id],
      ['project', newId('prj', started_at)],
      ['project', strangeProject],
      ['user', newId('usr', started_at)],
      ['user', inactive],
      ['user', world.globex.user],
    ]
    for (const [name, id] of wrong) {
      const fields = { workspace, task: task.id, started_at: noon, ended_at: noon, [name]: id }
      refused(await world.post('/v1/time_entries', fields), 400, 'invalid_request_body', name)
      const { started_at: _, ended_at: __, ...startFields } = fields
      refused(await world.post('/v1/time_entries/start', startFields), 400, 'invalid_request_body', name)
      const patched = await world.patch(`/v1/time_entries/${entry.id}`, { [name]: id })
      refused(patched, 400, 'invalid_request_body', name)
    }
    const nowhere = { workspace: newId('wsp', started_at), task: task.id, started_at: noon, ended_at: noon }
    refused(await world.post('/v1/time_entries', nowhere), 400, 'invalid_request_body', 'workspace')
    await world.assertWritten({ events: [], audit: [] })
  })

  it('a change of two times determines the third; without a difference nothing is written', async () => {
    const entry = await timesheet.record({ started_at: noon - 7200, ended_at: noon - 3600, note: 'Long' })
    await world.markWritten()
    const { started_at: from, ended_at, duration_ms, note, billable, project: same, user } = entry
    const whole = { task: task.key, project: same, user, started_at: from, ended_at, duration_ms, note, billable }
    assert.deepEqual((await world.patch(`/v1/time_entries/${entry.id}`, whole)).body, entry)
    assert.deepEqual((await world.patch(`/v1/time_entries/${entry.id}`, {})).body, entry)
    await world.assertWritten({ events: [], audit: [] })
    const changed = await world.patch(`/v1/time_entries/${entry.id}`, {
      workspace,
      ended_at: noon,
      duration_ms: 60_000,
      task: null,
      project: null,
      note: '',
      billable: true,
    })
    assert.deepEqual(changed.body, {
      ...entry,
      updated: Math.floor(world.clock.now() / 1000),
      started_at: noon - 60,
      ended_at: noon,
      duration_ms: 60_000,
      task: null,
      project: null,
      note: null,
      billable: true,
      revision: 2,
    })
    await world.assertWritten({ events: ['workflow.time_entry.updated'], audit: ['time_entries.update'] })
    const one = await world.patch(`/v1/time_entries/${entry.id}`, { duration_ms: 30_000 })
    assert.deepEqual([one.body.started_at, one.body.ended_at], [noon - 60, noon - 30])
    const three = { started_at: noon, ended_at: noon + 5, duration_ms: 6_000 }
    refused(await world.patch(`/v1/time_entries/${entry.id}`, three), 400, 'invalid_request_body', 'duration_ms')
    const resumed = await world.patch(`/v1/time_entries/${entry.id}`, { ended_at: null })
    refused(resumed, 409, 'resource_conflict', 'ended_at')
  })

  it('a deleted entry is not listed and answers 410', async () => {
    const entry = await timesheet.record({ started_at: noon, ended_at: noon })
    await world.markWritten()
    const { body } = await world.delete(`/v1/time_entries/${entry.id}`)
    assert.deepEqual(body, { id: entry.id, object: 'time_entry', deleted: true })
    await world.assertWritten({ events: ['workflow.time_entry.deleted'], audit: ['time_entries.delete'] })
    refused(await world.get(`/v1/time_entries/${entry.id}`), 410, 'resource_deleted', undefined)
    refused(await world.post(`/v1/time_entries/${entry.id}/stop`), 410, 'resource_deleted', undefined)
    const { data } = (await world.get('/v1/time_entries?limit=100')).body
    assert.ok(data.every((each: { id: string }) => each.id !== entry.id))
  })

  it('the list is filtered by workspace and task, by id or key; an unknown one is refused', async () => {
    const other = (await world.make('/v1/workspaces', { title: 'Quiet' })).id
    const quiet = await world.make('/v1/tasks', { workspace: other, title: 'Quiet' })
    const fields = { workspace: other, task: quiet.id, started_at: noon, ended_at: noon }
    const first = await world.make('/v1/time_entries', fields)
    const second = await world.make('/v1/time_entries', fields)
    for (const filter of [`workspace=${other}`, `task=${quiet.id}`, `task=${quiet.key}&workspace=${other}`]) {
      const reply = await world.get(`/v1/time_entries?${filter}`)
      assert.deepEqual(reply.body.data, [second, first])
      assert.equal(reply.body.url, '/v1/time_entries')
    }
    assert.deepEqual((await world.get(`/v1/time_entries?task=${quiet.id}&workspace=${workspace}`)).body.data, [])
    for (const name of ['workspace', 'task']) {
      const reply = await world.get(`/v1/time_entries?${name}=${newId('x', started_at)}`)
      refused(reply, 400, 'invalid_query_parameter', name)
    }
    const foreign = await world.get(`/v1/time_entries?task=${quiet.id}`, { key: world.globex.key })
    refused(foreign, 400, 'invalid_query_parameter', 'task')
    const mismatch = await world.get(`/v1/time_entries?workspace=${workspace}&starting_after=${first.id}`)
    assert.equal(mismatch.body.error.code, 'cursor_filter_mismatch')
    const selected = await world.get(`/v1/time_entries?workspace=${other}&fields=id,duration_ms`)
    assert.deepEqual(selected.body.data.at(-1), { id: first.id, duration_ms: 0 })
  })

  it('an entry of another workspace or organization answers 404', async () => {
    const entry = await timesheet.record({ started_at: noon, ended_at: noon })
    const strange = (await world.make('/v1/workspaces', { title: 'Strange' })).id
    const path = `/v1/time_entries/${entry.id}`
    for (const reply of [
      await world.get(`${path}?workspace=${strange}`),
      await world.patch(path, { workspace: strange, note: 'x' }),
      await world.post(`${path}/stop`, { workspace: strange }),
      await world.delete(`${path}?workspace=${strange}`),
      await world.get(path, { key: world.globex.key }),
      await world.get(path, { key: world.acme.testKey }),
    ]) {
      refused(reply, 404, 'resource_not_found', undefined)
    }
  })

  it('the entries of a deleted task can be read, listed and changed', async () => {
    const doomed = await world.make('/v1/tasks', { workspace, project, title: 'Doomed' })
    const entry = await timesheet.record({ task: doomed.id, started_at: noon, ended_at: noon })
    await world.delete(`/v1/tasks/${doomed.id}`)
    assert.deepEqual((await world.get(`/v1/time_entries/${entry.id}`)).body, entry)
    assert.deepEqual((await world.get(`/v1/time_entries?task=${doomed.id}`)).body.data, [entry])
    const changed = await world.patch(`/v1/time_entries/${entry.id}`, { note: 'For the record', task: doomed.id })
    assert.deepEqual([changed.status, changed.body.task, changed.body.note], [200, doomed.id, 'For the record'])
  })

  it('entries of an archived project can be read but not written', async () => {
    const old = (await world.make('/v1/projects', { workspace, name: 'Done with' })).id
    const past = await world.make('/v1/tasks', { workspace, project: old, title: 'Past' })
    const entry = await timesheet.record({ task: past.id, started_at: noon, ended_at: noon })
    const named = await timesheet.record({ project: old, started_at: noon, ended_at: noon })
    const running = await timesheet.start({ task: past.id })
    await world.make(`/v1/projects/${old}/archive`, {})
    await world.markWritten()
    const times = { started_at: noon, ended_at: noon }
    refused(
      await world.post('/v1/time_entries', { workspace, task: past.id, ...times }),
      409,
      'resource_conflict',
      'task',
    )
    const onProject = { workspace, task: task.id, project: old, ...times }
    refused(await world.post('/v1/time_entries', onProject), 409, 'resource_conflict', 'project')
    const begun = await world.post('/v1/time_entries/start', { workspace, task: past.key })
    refused(begun, 409, 'resource_conflict', 'task')
    for (const reply of [
      await world.patch(`/v1/time_entries/${entry.id}`, { note: 'Late' }),
      await world.patch(`/v1/time_entries/${named.id}`, { note: 'Late' }),
      await world.delete(`/v1/time_entries/${entry.id}`),
      await world.post(`/v1/time_entries/${running.id}/stop`),
    ]) {
      refused(reply, 409, 'resource_conflict', undefined)
    }
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get(`/v1/time_entries/${entry.id}`)).body, entry)
    await world.patch(`/v1/projects/${old}`, { archived_at: null })
    assert.equal((await world.post(`/v1/time_entries/${running.id}/stop`)).status, 200)
  })
})
