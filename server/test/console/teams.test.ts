/** Teams in the console: owners and admins make them and choose their people. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { addMember } from '../../src/resources/members/write.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, refusal, type Visitor } from './visitor.ts'

onEveryWorld('Teams in the console', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let admin: Visitor
  let member: Visitor
  let ada: string
  let bob: string
  before(async () => {
    admin = await join(owner, 'admin@acme.example', 'admin')
    member = await join(owner, 'member@acme.example', 'member')
    ada = (await addMember(world.services, world.acme.id, { email: 'ada@acme.example' })).user
    bob = (await addMember(world.services, world.acme.id, { email: 'bob@acme.example' })).user
  })

  const usersOf = async (id: string) =>
    (await world.get(`/v1/teams/${id}/members`)).body.data.map(({ user }: { user: string }) => user)

  it('are made, changed and deleted by an admin, each time in one commit of both realms', async () => {
    await world.markWritten()
    const team = await admin.must('POST', 'teams', { name: 'Design', description: 'What is seen', add: [ada] })
    assert.deepEqual(team, { id: team.id, name: 'Design', description: 'What is seen', people: 1 })
    await world.assertWritten({
      events: ['platform.team.created', 'platform.team_member.created'],
      audit: ['teams.create', 'teams.create'],
    })
    const path = `teams/${team.id}`
    const changed = await admin.must('PATCH', path, { name: 'Shape', description: null, add: [bob], remove: [ada] })
    assert.deepEqual(changed, { id: team.id, name: 'Shape', description: null, people: 1 })
    await world.assertWritten({
      events: ['platform.team.updated', 'platform.team_member.deleted', 'platform.team_member.created'],
      audit: ['teams.update', 'teams.update'],
    })
    assert.deepEqual(await usersOf(team.id), [bob])
    assert.deepEqual(await admin.must('PATCH', path, { name: 'Shape', add: [bob], remove: [ada] }), changed)
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await member.get('teams')).body.data, [changed])
    assert.deepEqual(await admin.must('DELETE', path), { id: team.id, object: 'team', deleted: true })
    await world.assertWritten({
      events: ['platform.team.deleted', 'platform.team_member.deleted'],
      audit: ['teams.delete', 'teams.delete'],
    })
    assert.deepEqual((await member.get('teams')).body.data, [])
    assert.deepEqual(refusal(await admin.patch(path, { name: 'Again' })), [404, 'resource_not_found', 'id'])
    assert.deepEqual(refusal(await admin.delete(path)), [404, 'resource_not_found', 'id'])
  })

  it('are closed to members, to guests and to other organizations', async () => {
    const { id } = await owner.must('POST', 'teams', { name: 'Ours', add: [ada] })
    for (const reply of [
      await member.post('teams', { name: 'Mine' }),
      await member.patch(`teams/${id}`, { name: 'Mine' }),
      await member.delete(`teams/${id}`),
    ])
      assert.deepEqual(refusal(reply), [403, 'role_required'])
    const globex = await ownerOf(world, world.globex)
    assert.deepEqual((await globex.get('teams')).body.data, [])
    for (const reply of [await globex.patch(`teams/${id}`, { remove: [ada] }), await globex.delete(`teams/${id}`)])
      assert.deepEqual(refusal(reply), [404, 'resource_not_found', 'id'])
    const theirs = await globex.must('POST', 'teams', { name: 'Theirs' })
    const stolen = await globex.patch(`teams/${theirs.id}`, { add: [ada] })
    assert.deepEqual(refusal(stolen), [400, 'invalid_request_body', 'add[0]'])
    assert.deepEqual(await usersOf(id), [ada])

    const workspace = (await world.make('/v1/workspaces', { title: 'Shared' })).id
    const project = (await world.make('/v1/projects', { workspace, name: 'Shared' })).id
    const user = (await member.arrive()).user.id
    await owner.must('PATCH', `people/${user}`, { role: 'guest', projects: [project] })
    await owner.must('PATCH', `teams/${id}`, { add: [user] })
    assert.equal((await member.get('teams')).status, 403)
    const key = await member.token()
    for (const path of ['/v1/teams', `/v1/teams/${id}/members`])
      assert.equal((await world.get(path, { key })).body.error.code, 'insufficient_scope', path)
    await world.make('/v1/tasks', { workspace, project, title: 'Of the guest', assignee: user })
    const filtered = async (filter: string) =>
      await world.get(`/v1/tasks?filter=${encodeURIComponent(filter)}`, { key })
    assert.deepEqual((await filtered(`team = ${id}`)).body.data, [])
    const [known, unknown] = [await filtered('team = "Ours"'), await filtered('team = "Mine"')]
    assert.deepEqual([known.status, known.body.error.param], [400, 'filter'])
    assert.equal(known.body.error.message.replace('Ours', ''), unknown.body.error.message.replace('Mine', ''))
  })

  it('refuse what is wrong, and then nothing is changed', async () => {
    const { id } = await owner.must('POST', 'teams', { name: 'Strict', add: [ada] })
    const gone = (await addMember(world.services, world.acme.id, { email: 'gone@acme.example', status: 'inactive' }))
      .user
    await world.markWritten()
    for (const [sent, param] of [
      [{ name: '' }, 'name'],
      [{ name: 'x'.repeat(501) }, 'name'],
      [{ description: 'x'.repeat(2001) }, 'description'],
      [{ name: 'Other', add: [bob, gone] }, 'add[1]'],
      [{ add: ['usr_none'] }, 'add[0]'],
      [{ people: [bob] }, 'people'],
    ] as const)
      assert.deepEqual(refusal(await owner.patch(`teams/${id}`, sent)), [400, 'invalid_request_body', param])
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual(await usersOf(id), [ada])
  })
})
