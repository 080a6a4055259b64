/** Names, `me` and times in the parameters of task lists (contract/06#names-in-filters, contract/06#filter-times). */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { addMember } from '../members/write.ts'
import { findOrganization } from '../organizations/organization.ts'
import { insertTasks, workspaceOf } from './rows.test.ts'

type Shown = { id: string; title: string }

onEveryWorld('names in task lists', (world) => {
  let serviceUser: string
  let ada: { id: string; user: string }
  before(async () => {
    const { id } = world.acme
    const person = { first_name: 'Ada', last_name: 'Löve', status: 'active' } as const
    ada = await addMember(world.services, id, { ...person, email: 'Ada@example.com' })
    await addMember(world.services, id, { ...person, first_name: 'Bo', email: 'bo1@example.com' })
    await addMember(world.services, id, { ...person, first_name: 'Bo', email: 'bo2@example.com' })
    const row = await world.services.store.reader('system').first(findOrganization, { organization: id })
    serviceUser = row?.service_user as string
  })

  async function office() {
    const workspace = await workspaceOf(world)
    const titles = async (query: Record<string, string>) => {
      const reply = await world.get(`/v1/tasks?${new URLSearchParams({ workspace: workspace.id, ...query })}`)
      assert.equal(reply.status, 200, reply.text)
      return reply.body.data.map((task: Shown) => task.title).join()
    }
    const refusal = async (query: Record<string, string>) => {
      const { status, body } = await world.get(
        `/v1/tasks?${new URLSearchParams({ workspace: workspace.id, ...query })}`,
      )
      return [status, body.error.code, body.error.param, body.error.message]
    }
    return { workspace: workspace.id, row: workspace, titles, refusal }
  }

  it('a filter and assignee accept an e-mail address, a full name or me for a person', async () => {
    const { row, titles } = await office()
    const me = serviceUser
    await insertTasks(world, row, [
      { title: 'hers', assignee: ada.user },
      { title: 'mine', assignee: me },
      { title: 'free', assignee: null },
    ])
    for (const [name, found] of [
      ['ada@EXAMPLE.com', 'hers'],
      ['ADA LÖVE', 'hers'],
      ['me', 'mine'],
      ['none', 'free'],
      ['usr_00000000000000000000000000', ''],
    ] as const) {
      assert.equal(await titles({ assignee: name }), found, name)
      const quoted = name.includes(' ') ? `"${name}"` : name
      assert.equal(await titles({ filter: `assignee = ${quoted}` }), found, name)
    }
    assert.equal(await titles({ filter: 'assignee IN (me, "ada@example.com")' }), 'mine,hers')
    assert.equal(await titles({ filter: 'assignee != me' }), 'free,hers')
  })

  it('a project or column may be named if the name is unique in the workspace', async () => {
    const { workspace, titles, refusal } = await office()
    const elsewhere = await workspaceOf(world)
    const project = await world.make('/v1/projects', { workspace, name: 'Booking App' })
    await world.make('/v1/projects', { workspace: elsewhere.id, name: 'booking app' })
    const column = await world.make('/v1/columns', { workspace, project: project.id, name: 'Review' })
    const place = { workspace, project: project.id, column: column.id }
    await world.make('/v1/tasks', { ...place, title: 'a' })
    await world.make('/v1/tasks', { workspace, title: 'b' })
    assert.equal(await titles({ project: 'booking app' }), 'a')
    assert.equal(await titles({ filter: 'project = "BOOKING APP"' }), 'a')
    assert.equal(await titles({ filter: 'column:review' }), 'a')
    assert.equal(await titles({ filter: 'project = none' }), 'b')
    assert.equal(await titles({ filter: 'project = prj_00000000000000000000000000' }), '')
    const twin = await world.make('/v1/projects', { workspace, name: 'Booking app' })
    const [status, code, param, message] = await refusal({ filter: 'project = "booking app"' })
    assert.deepEqual([status, code, param], [400, 'invalid_query_parameter', 'filter'])
    const ids = `${project.id}, ${twin.id}`
    assert.equal(message, `The value "booking app" matches several: ${ids} (at character 11). Use the id.`)
  })

  it('composed and decomposed letters are equal in filters and names, and stored text stays as sent', async () => {
    const { workspace, titles } = await office()
    const composed = 'Caf\u00e9'
    const decomposed = 'Cafe\u0301'
    for (const [title, label, name] of [
      [composed, decomposed, 'Salle \u00e9t\u00e9'],
      [decomposed, composed, 'Chaise'],
    ] as const) {
      const { id: project } = await world.make('/v1/projects', { workspace, name })
      await world.make('/v1/tasks', { workspace, title, project, labels: [label], custom_fields: { place: label } })
    }
    for (const word of [composed, decomposed]) {
      const both = [composed, decomposed].sort().join()
      const filters = [`title:${word.toUpperCase()}`, word, `title = ${word}`, `labels:${word}`]
      for (const filter of [...filters, `custom_fields.place = ${word}`, `custom_fields.place:${word}`]) {
        assert.equal((await titles({ filter })).split(',').sort().join(), both, filter)
      }
    }
    assert.equal(await titles({ project: 'SALLE e\u0301te\u0301' }), composed)
    assert.equal(await titles({ filter: 'title:cafx' }), '')
  })

  it('a text that was stored before it was composed is found in either form', async () => {
    const { row, titles } = await office()
    const title = 'Zoe\u0308'
    await insertTasks(world, row, [{ title, title_folded: title.toLowerCase() }])
    for (const word of ['zoe\u0308', 'ZO\u00cb']) assert.equal(await titles({ filter: `title:${word}` }), title, word)
  })

  it('a value that no task can have is refused with the value and the accepted ones', async () => {
    const { refusal } = await office()
    const statuses = 'Use backlog, todo, in_progress, in_review, blocked, done or canceled.'
    const people = 'Use a user id (usr_…), the e-mail address or full name of one member, me or none.'
    const bad = [400, 'invalid_query_parameter'] as const
    assert.deepEqual(await refusal({ filter: 'status = zzz' }), [
      ...bad,
      'filter',
      `The field \`status\` cannot be "zzz" (at character 10). ${statuses}`,
    ])
    assert.deepEqual(await refusal({ status: 'todo,done' }), [
      ...bad,
      'status',
      `The parameter \`status\` cannot be "todo,done". ${statuses} Repeat the parameter for several values.`,
    ])
    assert.deepEqual(await refusal({ assignee: 'Nemo' }), [
      ...bad,
      'assignee',
      `The parameter \`assignee\` cannot be "Nemo". ${people}`,
    ])
    const [, , , several] = await refusal({ assignee: 'bo löve' })
    assert.match(String(several), /^The value "bo löve" matches several: usr_\w+, usr_\w+\. Use the id\.$/)
    assert.deepEqual(await refusal({ assignee: ada.id }), [
      ...bad,
      'assignee',
      `The parameter \`assignee\` cannot be "${ada.id}". This is the id of a member; the user's id is ${ada.user}. ${people}`,
    ])
    assert.deepEqual((await refusal({ project: 'Process' })).slice(0, 3), [...bad, 'project'])
    assert.deepEqual((await refusal({ due_before: '2026-02-30' })).slice(0, 3), [...bad, 'due_before'])
  })

  it('a name of another organization is unknown', async () => {
    const reply = await world.get('/v1/tasks?assignee=ada@example.com', { key: world.globex.key })
    assert.deepEqual([reply.status, reply.body.error.param], [400, 'assignee'])
  })

  it('due_before takes dates, instants and times relative to the request', async () => {
    const { row, titles } = await office()
    const now = world.clock.now()
    const day = 86_400_000
    const today = Math.floor(now / day) * day
    await insertTasks(world, row, [
      { title: 'yesterday', due_at: today - 1 },
      { title: 'today', due_at: today },
      { title: 'soon', due_at: now + 3 * day },
    ])
    assert.equal(await titles({ due_before: 'today' }), 'yesterday')
    assert.equal(await titles({ due_before: new Date(today).toISOString().slice(0, 10) }), 'yesterday')
    assert.equal(await titles({ due_before: new Date(today + 1000).toISOString() }), 'today,yesterday')
    assert.equal(await titles({ due_before: 'now+4d' }), 'soon,today,yesterday')
    assert.equal(await titles({ filter: 'due_at = today' }), 'today')
    assert.equal(await titles({ filter: 'due_at > today due_at < now+1w' }), 'soon')
  })

  it('counts of different callers are cached separately', async () => {
    const { workspace, row } = await office()
    await insertTasks(world, row, [{ assignee: ada.user }])
    const { secret: key } = await world.key({ owner: { type: 'user', id: ada.user } })
    const query = `/v1/tasks/count?workspace=${workspace}&filter=assignee%3Dme`
    assert.equal((await world.get(query)).body.count, 0)
    assert.equal((await world.get(query, { key })).body.count, 1)
  })

  it('an export resolves its names and me when it is requested', async () => {
    const { workspace } = await office()
    const reply = await world.post('/v1/exports', {
      ...{ resource: 'tasks', workspace, assignee: ['me'], filter: 'assignee = me due_at < now' },
    })
    assert.equal(reply.status, 200, reply.text)
    const parameters = { assignee: [serviceUser], filter: 'assignee = me due_at < now' }
    assert.deepEqual(reply.body.parameters, parameters)
    for (const [fields, param] of [
      [{ status: ['zzz'] }, 'status[0]'],
      [{ assignee: ['null', 'Nemo'] }, 'assignee[1]'],
      [{ filter: 'status = zzz' }, 'filter'],
    ] as const) {
      const { status, body } = await world.post('/v1/exports', { resource: 'tasks', ...fields })
      assert.deepEqual([status, body.error.code, body.error.param], [400, 'invalid_request_body', param])
    }
  })
})
