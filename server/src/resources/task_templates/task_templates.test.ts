import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import type { Reply } from '../../../test/call.ts'
import { onEveryWorld, started_at } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { newId } from '../../lib/ids.ts'
import { addMember, setMember } from '../members/write.ts'
import { template_overrides } from './task_template.ts'
import { addTaskTemplate } from './write.ts'

type NewTaskTemplate = Parameters<typeof addTaskTemplate>[1]

const noon = started_at / 1000

onEveryWorld('task templates', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Kubernetes Enhancement Proposals' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Release' })).id
  })

  const add = (fields: Partial<NewTaskTemplate> = {}) =>
    addTaskTemplate(world.services, {
      organization: world.acme.id,
      realm: world.acme.realms.live,
      mode: 'live',
      workspace,
      name: 'Release',
      defaults: { title: 'Cut the release branch' },
      ...fields,
    })
  const instantiate = (id: string, fields: object = {}): Promise<Reply> =>
    world.post(`/v1/task_templates/${id}/instantiate`, { workspace, ...fields })
  const refused = (reply: Reply, status: number, code: string, param?: string) =>
    assert.deepEqual([reply.status, reply.body.error?.code, reply.body.error?.param], [status, code, param])

  const whole = () => ({
    title: 'Cut the release branch',
    description: 'As the handbook says',
    status: 'backlog',
    priority: 'high',
    assignee: world.acme.user,
    due_in_seconds: 86_400,
    labels: ['release'],
    custom_fields: { sig: 'release', stages: ['alpha', 'beta'] },
  })

  it('adding a template writes an event and an audit entry, and GET shows it', async () => {
    await world.markWritten()
    const template = await add({ project, description: 'Every quarter', defaults: whole(), overridable: ['title'] })
    assert.deepEqual(template, {
      id: template.id,
      object: 'task_template',
      created: noon,
      updated: noon,
      workspace,
      project,
      name: 'Release',
      description: 'Every quarter',
      defaults: whole(),
      overridable: ['title'],
      revision: 1,
    })
    assert.match(template.id, /^tpl_/)
    await world.assertWritten({ events: ['workflow.task_template.created'], audit: ['task_templates.create'] })
    assert.equal((await world.get('/v1/audit_logs?limit=1')).body.data[0].workspace, workspace)
    assert.deepEqual((await world.get(`/v1/task_templates/${template.id}`)).body, template)
  })

  it('missing defaults are empty, and every field may be overridden by default', async () => {
    const template = await add({ defaults: {} })
    assert.deepEqual(template.defaults, {
      title: null,
      description: null,
      status: null,
      priority: null,
      assignee: null,
      due_in_seconds: null,
      labels: [],
      custom_fields: {},
    })
    assert.deepEqual(template.overridable, [...template_overrides])
    assert.deepEqual([template.project, template.description], [null, null])
  })

  it('is created, changed and deleted over the API, each with one event', async () => {
    await world.markWritten()
    const sent = { workspace, name: 'Bug', defaults: { title: 'Bug: ', labels: ['bug'] }, overridable: ['title'] }
    const made = await world.make('/v1/task_templates', sent)
    assert.deepEqual([made.defaults.labels, made.defaults.status, made.overridable], [['bug'], null, ['title']])
    const path = `/v1/task_templates/${made.id}`
    const { body: changed } = await world.patch(path, { defaults: { priority: 'high' }, project, overridable: [] })
    const defaults = { ...made.defaults, title: null, labels: [], priority: 'high' }
    assert.deepEqual(changed, { ...made, defaults, project, overridable: [], revision: 2 })
    assert.deepEqual((await world.patch(path, { overridable: [] })).body, changed)
    assert.deepEqual((await world.delete(path)).body, { id: made.id, object: 'task_template', deleted: true })
    refused(await world.get(path), 410, 'resource_deleted')
    refused(await instantiate(made.id, { title: 'x' }), 410, 'resource_deleted')
    await world.assertWritten({
      events: ['created', 'updated', 'deleted'].map((verb) => `workflow.task_template.${verb}`),
      audit: ['task_templates.create', 'task_templates.update', 'task_templates.delete'],
    })
  })

  it('the API refuses invalid fields by name', async () => {
    const { id } = await add()
    const wrong: [object, string][] = [
      [{ defaults: { status: 'sleeping' } }, 'defaults.status'],
      [{ defaults: { assignee: newId('usr', started_at) } }, 'defaults.assignee'],
      [{ defaults: null }, 'defaults'],
      [{ overridable: ['completed_at'] }, 'overridable[0]'],
      [{ project: newId('prj', started_at) }, 'project'],
      [{ name: '' }, 'name'],
    ]
    for (const [fields, param] of wrong) {
      refused(
        await world.post('/v1/task_templates', { workspace, name: 'Wrong', defaults: {}, ...fields }),
        400,
        'invalid_request_body',
        param,
      )
      refused(await world.patch(`/v1/task_templates/${id}`, fields), 400, 'invalid_request_body', param)
    }
  })

  it('invalid fields are refused by name and write nothing', async () => {
    const { user } = await addMember(world.services, world.acme.id, { email: 'gone@acme.example', status: 'inactive' })
    await world.markWritten()
    const wrong: [Partial<NewTaskTemplate>, string][] = [
      [{ defaults: { colour: 'red' } }, 'defaults.colour'],
      [{ defaults: { status: 'sleeping' } }, 'defaults.status'],
      [{ defaults: { priority: 'extreme' } }, 'defaults.priority'],
      [{ defaults: { title: '' } }, 'defaults.title'],
      [{ defaults: { due_in_seconds: -1 } }, 'defaults.due_in_seconds'],
      [{ defaults: { due_in_seconds: 1.5 } }, 'defaults.due_in_seconds'],
      [{ defaults: { labels: ['x', 'x'] } }, 'defaults.labels'],
      [{ defaults: { custom_fields: { 'Not a name': 1 } } }, 'defaults.custom_fields.Not a name'],
      [{ defaults: { assignee: newId('usr', started_at) } }, 'defaults.assignee'],
      [{ defaults: { assignee: user } }, 'defaults.assignee'],
      [{ defaults: [] }, 'defaults'],
      [{ overridable: ['completed_at'] }, 'overridable[0]'],
      [{ overridable: ['title', 'title'] }, 'overridable'],
      [{ name: '' }, 'name'],
      [{ workspace: newId('wsp', started_at) }, 'workspace'],
      [{ project: newId('prj', started_at) }, 'project'],
    ]
    for (const [fields, param] of wrong) {
      const refusal = await add(fields).then(
        () => null,
        (error: unknown) => error,
      )
      assert.ok(refusal instanceof Refusal, param)
      assert.equal(refusal.options.param, param)
    }
    await world.assertWritten({ events: [], audit: [] })
  })

  it('the list is filtered by workspace and project, newest first', async () => {
    const other = (await world.make('/v1/workspaces', { title: 'Other' })).id
    const inside = (await world.make('/v1/projects', { workspace: other, name: 'Inside' })).id
    const first = await add({ workspace: other, project: inside })
    const second = await add({ workspace: other })
    assert.deepEqual((await world.get(`/v1/task_templates?workspace=${other}`)).body.data, [second, first])
    assert.deepEqual((await world.get(`/v1/task_templates?project=${inside}`)).body.data, [first])
    const named = await world.get(`/v1/task_templates?workspace=${other}&fields=id,defaults&limit=1`)
    assert.deepEqual(named.body.data, [{ id: second.id, defaults: second.defaults }])
    for (const name of ['workspace', 'project']) {
      refused(await world.get(`/v1/task_templates?${name}=none`), 400, 'invalid_query_parameter', name)
    }
  })

  it('a task from a template has its defaults, one event and one audit entry', async () => {
    const template = await add({ project, defaults: whole() })
    world.clock.advance(10_700)
    const now = Math.floor(world.clock.now() / 1000)
    await world.markWritten()
    const { status, body: task } = await instantiate(template.id)
    assert.equal(status, 200)
    const { due_in_seconds: _, ...defaults } = whole()
    assert.deepEqual(task, {
      ...task,
      ...defaults,
      object: 'task',
      created: now,
      workspace,
      project,
      column: null,
      due_at: now + 86_400,
      completed_at: null,
      creator: { type: 'organization', id: world.acme.id },
      template: template.id,
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.task.created'], audit: ['task_templates.instantiate'] })
    assert.deepEqual((await world.get(`/v1/tasks/${task.key}`)).body, task)
  })

  it('overridable fields are taken from the request', async () => {
    const other = (await world.make('/v1/projects', { workspace, name: 'Other' })).id
    const column = (await world.make('/v1/columns', { workspace, project: other, name: 'Doing' })).id
    const template = await add({ project, defaults: whole() })
    const overrides = {
      project: other,
      column,
      title: 'Cut 1.36',
      description: null,
      assignee: null,
      due_at: null,
      status: 'in_progress',
      priority: 'urgent',
      labels: [],
    }
    const { body: task } = await instantiate(template.id, { ...overrides, custom_fields: { sig: null, risk: 2 } })
    assert.deepEqual(task, { ...task, ...overrides, custom_fields: { stages: ['alpha', 'beta'], risk: 2 } })
    const bare = await add({ defaults: {} })
    const { body: plain } = await instantiate(bare.id, { title: 'Just a title' })
    assert.deepEqual(
      [plain.status, plain.priority, plain.project, plain.due_at, plain.assignee],
      ['todo', 'none', null, null, null],
    )
    const done = await instantiate(bare.id, { title: 'Done', status: 'done' })
    assert.equal(done.body.completed_at, Math.floor(world.clock.now() / 1000))
  })

  it('other fields are refused by name', async () => {
    const values: Record<string, unknown> = {
      project,
      column: null,
      title: 'Mine',
      description: 'Mine',
      assignee: null,
      due_at: noon,
      status: 'done',
      priority: 'low',
      labels: ['mine'],
      custom_fields: { mine: true },
    }
    const { id } = await add({ defaults: whole(), overridable: [] })
    await world.markWritten()
    for (const name of template_overrides) {
      refused(await instantiate(id, { [name]: values[name] }), 400, 'invalid_request_body', name)
    }
    refused(await instantiate(id, { completed_at: noon }), 400, 'invalid_request_body', 'completed_at')
    refused(await world.post(`/v1/task_templates/${id}/instantiate`, {}), 400, 'invalid_request_body', 'workspace')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await instantiate(id)).status, 200)
  })

  it('a task without a title and one with unusable references are refused by name', async () => {
    const { id } = await add({ defaults: {} })
    const column = (await world.make('/v1/columns', { workspace, project, name: 'Doing' })).id
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`f${i}`, i]))
    const full = await add({ defaults: { title: 'Full', custom_fields: many } })
    await world.markWritten()
    refused(await instantiate(id), 400, 'invalid_request_body', 'title')
    const title = 'Given'
    const unknown = newId('usr', started_at)
    refused(await instantiate(id, { title, assignee: unknown }), 400, 'invalid_request_body', 'assignee')
    refused(await instantiate(id, { title, project: 'prj_none' }), 400, 'invalid_request_body', 'project')
    refused(await instantiate(id, { title, column }), 400, 'invalid_request_body', 'column')
    refused(await instantiate(full.id, { custom_fields: { more: 1 } }), 400, 'invalid_request_body', 'custom_fields')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await instantiate(full.id, { custom_fields: { f0: null, more: 1 } })).status, 200)
  })

  it('a template with an unusable project or assignee is a conflict unless the request overrides it', async () => {
    const doomed = (await world.make('/v1/projects', { workspace, name: 'Doomed' })).id
    const old = (await world.make('/v1/projects', { workspace, name: 'Old' })).id
    const leaver = await addMember(world.services, world.acme.id, { email: 'leaver@acme.example' })
    const ofDoomed = await add({ project: doomed })
    const ofOld = await add({ project: old })
    const ofLeaver = await add({ defaults: { title: 'Hand over', assignee: leaver.user } })
    await world.delete(`/v1/projects/${doomed}`)
    await world.make(`/v1/projects/${old}/archive`)
    await setMember(world.services, leaver.id, { status: 'inactive' })
    await world.markWritten()
    refused(await instantiate(ofDoomed.id), 409, 'resource_conflict', 'project')
    refused(await instantiate(ofOld.id), 409, 'resource_conflict', 'project')
    refused(await instantiate(ofLeaver.id), 409, 'resource_conflict', 'assignee')
    await world.assertWritten({ events: [], audit: [] })
    assert.equal((await instantiate(ofDoomed.id, { project: null })).status, 200)
    assert.equal((await instantiate(ofLeaver.id, { assignee: null })).status, 200)
  })

  it('a template of another workspace, organization or realm answers 404', async () => {
    const template = await add()
    const strange = (await world.make('/v1/workspaces', { title: 'Strange' })).id
    const path = `/v1/task_templates/${template.id}`
    await world.markWritten()
    for (const reply of [
      await world.get(`${path}?workspace=${strange}`),
      await world.get(path, { key: world.globex.key }),
      await world.get(path, { key: world.acme.testKey }),
      await instantiate(template.id, { workspace: strange }),
      await world.post(`${path}/instantiate`, { workspace }, { key: world.globex.key }),
    ]) {
      refused(reply, 404, 'resource_not_found', undefined)
    }
    await world.assertWritten({ events: [], audit: [] })
  })
})
