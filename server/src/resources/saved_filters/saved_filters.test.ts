import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld, started_at } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { newId } from '../../lib/ids.ts'
import { addSavedFilter } from './write.ts'

type NewSavedFilter = Parameters<typeof addSavedFilter>[1]

onEveryWorld('saved filters', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Release' })).id
  })

  const add = (fields: Partial<NewSavedFilter> = {}) =>
    addSavedFilter(world.services, {
      organization: world.acme.id,
      realm: world.acme.realms.live,
      mode: 'live',
      workspace,
      name: 'Urgent',
      filter: 'priority >= high',
      ...fields,
    })

  /** The key of a user of the organization. */
  const as = async (user: string) => ({ key: (await world.key({ owner: { type: 'user', id: user } })).secret })

  it('adding a filter writes an event and an audit entry, and GET shows it', async () => {
    await world.markWritten()
    const filter = await add({ project, description: 'What burns', sort: '-priority,due_at' })
    assert.deepEqual(filter, {
      id: filter.id,
      object: 'saved_filter',
      created: started_at / 1000,
      updated: started_at / 1000,
      workspace,
      project,
      name: 'Urgent',
      description: 'What burns',
      filter: 'priority >= high',
      sort: '-priority,due_at',
      visibility: 'team',
      created_by: filter.created_by,
      revision: 1,
      layout: 'list',
      group_by: null,
      columns: null,
      pinned: false,
    })
    assert.match(filter.id, /^flt_/)
    assert.match(filter.created_by, /^usr_/)
    await world.assertWritten({ events: ['workflow.saved_filter.created'], audit: ['saved_filters.create'] })
    const [entry] = (await world.get('/v1/audit_logs?limit=1')).body.data
    assert.deepEqual([entry.workspace, entry.target], [workspace, { object: 'saved_filter', id: filter.id }])
    const reply = await world.get(`/v1/saved_filters/${filter.id}`)
    assert.deepEqual(reply.body, filter)
    assert.match(String(reply.headers.etag), /^"1-/)
    const { sort, description, project: nowhere } = await add({ description: '', sort: null })
    assert.deepEqual([sort, description, nowhere], [null, null, null])
  })

  it('invalid fields are refused by name and write nothing', async () => {
    const archived = (await world.make('/v1/projects', { workspace, name: 'Done with' })).id
    await world.make(`/v1/projects/${archived}/archive`)
    await world.markWritten()
    const wrong: [Partial<NewSavedFilter>, string][] = [
      [{ filter: 'priority >=' }, 'filter'],
      [{ filter: 'nothing = 1' }, 'filter'],
      [{ filter: '' }, 'filter'],
      [{ sort: 'mood' }, 'sort'],
      [{ sort: 'created,created' }, 'sort'],
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(501) }, 'name'],
      [{ workspace: newId('wsp', started_at) }, 'workspace'],
      [{ project: newId('prj', started_at) }, 'project'],
      [{ project: archived }, 'project'],
      [{ realm: world.acme.realms.test, mode: 'test' }, 'workspace'],
    ]
    for (const [fields, param] of wrong) {
      await assert.rejects(add(fields), (error) => error instanceof Refusal && error.options.param === param, param)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('is created, changed and deleted over the API, each with one event', async () => {
    await world.markWritten()
    const made = await world.make('/v1/saved_filters', {
      workspace,
      name: 'Late',
      filter: 'due_at < 5',
      sort: 'due_at',
    })
    assert.deepEqual([made.project, made.description, made.visibility, made.revision], [null, null, 'team', 1])
    const path = `/v1/saved_filters/${made.id}`
    const changed = await world.patch(path, { filter: 'status = done', sort: null, project, description: 'Over' })
    assert.deepEqual(changed.body, {
      ...made,
      ...{ filter: 'status = done', sort: null, project, description: 'Over', revision: 2 },
    })
    const same = await world.patch(path, { name: 'Late', description: 'Over' })
    assert.deepEqual(same.body, changed.body)
    assert.deepEqual((await world.delete(path)).body, { id: made.id, object: 'saved_filter', deleted: true })
    for (const reply of [await world.get(path), await world.patch(path, { name: 'x' }), await world.delete(path)]) {
      assert.deepEqual([reply.status, reply.body.error.code], [410, 'resource_deleted'])
    }
    await world.assertWritten({
      events: ['created', 'updated', 'deleted'].map((verb) => `workflow.saved_filter.${verb}`),
      audit: ['saved_filters.create', 'saved_filters.update', 'saved_filters.delete'],
    })
    const [, updated] = (await world.get('/v1/events?limit=2')).body.data
    assert.deepEqual(updated.data, {
      object: changed.body,
      previous_attributes: { filter: 'due_at < 5', sort: 'due_at', project: null, description: null, revision: 1 },
    })
    const [, entry] = (await world.get('/v1/audit_logs?limit=2')).body.data
    assert.deepEqual(entry.changed_fields.toSorted(), ['description', 'filter', 'project', 'sort'])
  })

  it('the API refuses invalid fields by name and a stale If-Match with 409', async () => {
    const { id } = await add()
    await world.markWritten()
    const wrong: [object, string][] = [
      [{ filter: 'priority >=' }, 'filter'],
      [{ filter: '' }, 'filter'],
      [{ filter: null }, 'filter'],
      [{ sort: 'mood' }, 'sort'],
      [{ name: null }, 'name'],
      [{ project: newId('prj', started_at) }, 'project'],
      [{ visibility: 'mine' }, 'visibility'],
      [{ layout: 'gantt' }, 'layout'],
      [{ group_by: 'title' }, 'group_by'],
      [{ columns: ['Points'] }, 'columns[0]'],
      [{ columns: ['points', 'points'] }, 'columns'],
      [{ pinned: null }, 'pinned'],
      [{ created_by: world.acme.user }, 'created_by'],
    ]
    for (const [fields, param] of wrong) {
      const sent = { workspace, name: 'Wrong', filter: 'status = done', ...fields }
      const replies = [
        await world.post('/v1/saved_filters', sent),
        await world.patch(`/v1/saved_filters/${id}`, fields),
      ]
      for (const { status, body } of replies) {
        assert.deepEqual([status, body.error?.code, body.error?.param], [400, 'invalid_request_body', param])
      }
    }
    const stale = await world.patch(`/v1/saved_filters/${id}`, { name: 'x' }, { headers: { 'if-match': '"2"' } })
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'resource_conflict'])
    await world.assertWritten({ events: [], audit: [] })
  })

  it('the list shows the newest first, filtered by workspace', async () => {
    const other = (await world.make('/v1/workspaces', { title: 'Other' })).id
    const made = [await add({ workspace: other }), await add({ workspace: other, name: 'Two' })].reverse()
    const reply = await world.get(`/v1/saved_filters?workspace=${other}`)
    assert.deepEqual(reply.body, {
      object: 'list',
      url: '/v1/saved_filters',
      has_more: false,
      next_cursor: null,
      data: made,
    })
    const named = await world.get(`/v1/saved_filters?workspace=${other}&fields=name&limit=1`)
    assert.deepEqual([named.body.data, named.body.next_cursor], [[{ name: 'Two' }], made[0]?.id])
    const unknown = await world.get(`/v1/saved_filters?workspace=${newId('wsp', started_at)}`)
    assert.deepEqual([unknown.status, unknown.body.error.param], [400, 'workspace'])
  })

  it('a private filter exists for its author only: by id, in lists, as a cursor, as a filter of tasks, and in no event', async () => {
    const [ada, ben] = [await as('usr_ADA'), await as('usr_BEN')]
    await world.markWritten()
    const view = {
      ...{ workspace, name: 'Mine', filter: 'status = todo', visibility: 'private', layout: 'board' },
      ...{ group_by: 'assignee', columns: ['points'], pinned: true },
    }
    const made = (await world.post('/v1/saved_filters', view, ada)).body
    assert.deepEqual({ ...made, ...view, created_by: 'usr_ADA' }, made)
    const path = `/v1/saved_filters/${made.id}`
    assert.deepEqual((await world.get(path, ada)).body, made)
    const missing = (await world.get(`/v1/saved_filters/${newId('flt', started_at)}`, ben)).body.error
    for (const reply of [
      await world.get(path, ben),
      await world.patch(path, { name: 'Hers' }, ben),
      await world.delete(path, ben),
      await world.get(path),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
      assert.equal(reply.body.error.message, missing.message)
    }
    const isListed = async (viewer: object) =>
      (await world.get('/v1/saved_filters?limit=1', viewer)).body.data[0].id === made.id
    assert.deepEqual([await isListed(ada), await isListed(ben), await isListed({})], [true, false, false])
    assert.equal(
      (await world.get(`/v1/saved_filters?starting_after=${made.id}`, ben)).body.error.code,
      'cursor_invalid',
    )
    assert.equal((await world.get(`/v1/tasks?filter=${made.id}`, ada)).status, 200)
    const asFilter = await world.get(`/v1/tasks?filter=${made.id}`, ben)
    assert.deepEqual([asFilter.status, asFilter.body.error.param], [400, 'filter'])
    assert.equal((await world.patch(path, { name: 'Renamed' }, ada)).body.revision, 2)
    await world.assertWritten({ events: [], audit: ['saved_filters.create', 'saved_filters.update'] })
  })

  it('sharing a private filter emits its creation, hiding it emits its deletion; only its author hides it', async () => {
    const ada = await as('usr_ADA')
    const view = { workspace, name: 'Draft', filter: 'status = todo', visibility: 'private' }
    const { id } = (await world.post('/v1/saved_filters', view, ada)).body
    const path = `/v1/saved_filters/${id}`
    await world.markWritten()
    const shared = (await world.patch(path, { visibility: 'team' }, ada)).body
    assert.deepEqual((await world.get(path)).body, shared)
    const refused = await world.patch(path, { visibility: 'private' })
    assert.deepEqual([refused.status, refused.body.error.param], [400, 'visibility'])
    await world.patch(path, { visibility: 'private' }, ada)
    assert.equal((await world.get(path)).status, 404)
    await world.delete(path, ada)
    assert.equal((await world.get(path, ada)).status, 410)
    assert.equal((await world.get(path)).status, 404)
    await world.assertWritten({
      events: ['workflow.saved_filter.created', 'workflow.saved_filter.deleted'],
      audit: ['saved_filters.update', 'saved_filters.update', 'saved_filters.delete'],
    })
  })

  it('a filter of another workspace, organization or realm answers 404', async () => {
    const filter = await add()
    const strange = (await world.make('/v1/workspaces', { title: 'Strange' })).id
    for (const reply of [
      await world.get(`/v1/saved_filters/${filter.id}?workspace=${strange}`),
      await world.get(`/v1/saved_filters/${filter.id}`, { key: world.globex.key }),
      await world.get(`/v1/saved_filters/${filter.id}`, { key: world.acme.testKey }),
    ]) {
      assert.deepEqual([reply.status, reply.body.error.code], [404, 'resource_not_found'])
    }
    assert.equal((await world.get(`/v1/saved_filters/${filter.id}?workspace=${workspace}`)).status, 200)
  })

  it('names of people, projects and columns must fit one object when the filter is written', async () => {
    const write = (filter: string) => world.post('/v1/saved_filters', { workspace, name: 'Named', filter })
    for (const filter of ['project = Release', 'assignee = me', 'project != none', 'project = prj_0']) {
      assert.equal((await write(filter)).status, 200, filter)
    }
    for (const filter of ['project = Relaese', 'status = todo assignee = "nemo@example.com"', 'column = Nowhere']) {
      const { status, body } = await write(filter)
      assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request_body', 'filter'], filter)
    }
    const { id } = (await write('project = Release')).body
    const changed = await world.patch(`/v1/saved_filters/${id}`, { filter: 'project = Relaese' })
    assert.deepEqual([changed.status, changed.body.error.param], [400, 'filter'])
  })
})
