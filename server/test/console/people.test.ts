/** The people of an organization: listing, roles, and changes to others and to oneself. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { addMember } from '../../src/resources/members/write.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { join, ownerOf, password, refusal, Visitor } from './visitor.ts'

onEveryWorld('People', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let admin: Visitor
  let member: Visitor
  const users: Record<string, string> = {}

  before(async () => {
    admin = await join(owner, 'admin@acme.example', 'admin')
    member = await join(owner, 'member@acme.example', 'member')
    for (const [name, visitor] of Object.entries({ owner, admin, member })) {
      users[name] = (await visitor.arrive()).user.id
      await visitor.must('POST', 'step-up', { password })
    }
  })

  it('are listed to every member with role, status and whether they have an account', async () => {
    await addMember(world.services, world.acme.id, { email: 'bare@acme.example', first_name: 'Bea', role: 'Engineer' })
    const { data } = (await member.get('people')).body
    assert.deepEqual(
      data.map((each: Record<string, unknown>) => [each.email, each.role, each.title, each.status, each.has_account]),
      [
        ['owner@acme.example', 'owner', 'owner', 'active', true],
        ['admin@acme.example', 'admin', 'admin', 'active', true],
        ['member@acme.example', 'member', 'member', 'active', true],
        ['bare@acme.example', null, 'Engineer', 'active', false],
      ],
    )
  })

  it('are named in the directory, with keys and the service user', async () => {
    const { people, keys, service_user, has_more } = (await member.get('directory')).body
    assert.deepEqual(people[3], { ...people[3], name: 'Bea', initials: 'B', email: 'bare@acme.example' })
    assert.deepEqual([keys.length, keys[0].id, keys[0].name], [1, world.acme.keyId, 'A key'])
    assert.equal(has_more, false)
    assert.match(service_user.id, /^usr_/)
    assert.deepEqual((await member.get('directory?mode=test')).body.keys.length, 1)
    assert.deepEqual(refusal(await member.get('directory?mode=both')), [400, 'invalid_query_parameter', 'mode'])
  })

  it('are in the directory with flows and deleted keys, whose names are erased', async () => {
    const { id: key } = await world.make('/v1/api_keys', { name: 'Gone', scopes: ['api:read'] })
    const { id: workspace } = await world.make('/v1/workspaces', { title: 'Flows' })
    const nodes = [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'say', type: 'task.comment', config: { body: 'Done' } },
    ]
    const graph = { schema_version: 1, nodes, edges: [{ source: 'by_hand', target: 'say' }] }
    const { id: flow } = await world.make('/v1/automation_flows', { workspace, name: 'Was here', graph })
    await world.delete(`/v1/api_keys/${key}`)
    const { keys, flows } = (await member.get('directory')).body
    assert.deepEqual(
      keys.map(({ name, is_deleted }: { name: string; is_deleted: boolean }) => [name, is_deleted]),
      [
        ['A key', false],
        ['', true],
      ],
    )
    assert.deepEqual(flows, [{ id: flow, name: 'Was here' }])
    assert.deepEqual((await member.get('directory?mode=test')).body.flows, [])
  })

  it('keep one owner: the last cannot be demoted or deactivated, not even by themselves', async () => {
    for (const change of [{ role: 'admin' }, { status: 'inactive' }]) {
      assert.deepEqual(refusal(await owner.patch(`people/${users.owner}`, change)), [409, 'resource_conflict'])
    }
    await owner.must('PATCH', `people/${users.admin}`, { role: 'owner' })
    assert.equal((await owner.must('PATCH', `people/${users.owner}`, { role: 'admin' })).role, 'admin')
    assert.deepEqual(refusal(await admin.patch(`people/${users.admin}`, { role: 'admin' })), [409, 'resource_conflict'])
    await admin.must('PATCH', `people/${users.owner}`, { role: 'owner' })
    await admin.must('PATCH', `people/${users.admin}`, { role: 'admin' })
  })

  it('who demote each other at the same time leave one owner', async () => {
    await owner.must('PATCH', `people/${users.admin}`, { role: 'owner' })
    const replies = await Promise.all([
      owner.patch(`people/${users.admin}`, { role: 'member' }),
      admin.patch(`people/${users.owner}`, { role: 'member' }),
    ])
    const { data } = (await member.get('people')).body
    assert.equal(
      data.filter((each: { role: string }) => each.role === 'owner').length,
      1,
      replies.map((r) => r.text).join(),
    )
    const remaining = data.find((each: { role: string }) => each.role === 'owner').user === users.owner ? owner : admin
    const other = remaining === owner ? 'admin' : 'owner'
    await remaining.must('PATCH', `people/${users[other]}`, { role: 'owner' })
    await owner.must('PATCH', `people/${users.admin}`, { role: 'admin' })
  })

  it('who are admins cannot change owners or create one', async () => {
    for (const change of [{ role: 'member' }, { status: 'inactive' }, { role: 'owner' }]) {
      assert.deepEqual(refusal(await admin.patch(`people/${users.owner}`, change)), [403, 'role_required'])
    }
    assert.deepEqual(refusal(await admin.patch(`people/${users.member}`, { role: 'owner' })), [403, 'role_required'])
    const reply = await admin.post('invitations', { email: 'friend@acme.example', role: 'owner' })
    assert.deepEqual(refusal(reply), [403, 'role_required'])
    const { invitation } = await owner.must('POST', 'invitations', { email: 'friend@acme.example', role: 'owner' })
    assert.deepEqual(refusal(await admin.delete(`invitations/${invitation.id}`)), [403, 'role_required'])
  })

  it('of another organization answer 404', async () => {
    for (const user of [world.globex.user, 'usr_01KZ0000000000000000000000']) {
      const reply = await owner.patch(`people/${user}`, { role: 'member' })
      assert.deepEqual(refusal(reply), [404, 'resource_not_found', 'user'])
    }
    const theirs = await ownerOf(world, world.globex)
    const { invitation } = await theirs.must('POST', 'invitations', { email: 'x@globex.example', role: 'member' })
    assert.deepEqual(refusal(await owner.delete(`invitations/${invitation.id}`)), [404, 'resource_not_found', 'id'])
    const emails = (await owner.get('people')).body.data.map((each: { email: string }) => each.email)
    assert.equal(
      emails.some((email: string) => email.includes('globex')),
      false,
    )
  })

  it('produce events that name who changed them', async () => {
    await world.markWritten()
    const person = await owner.must('PATCH', `people/${users.member}`, { role: 'admin' })
    assert.deepEqual([person.role, person.title], ['admin', 'admin'])
    await world.assertWritten({ events: ['platform.member.updated'], audit: ['members.update', 'members.update'] })
    const [entry] = (await world.get('/v1/audit_logs?limit=1')).body.data
    assert.deepEqual([entry.actor, entry.changed_fields], [{ type: 'user', id: users.owner }, ['role']])
    await owner.must('PATCH', `people/${users.member}`, { role: 'admin' })
    await world.assertWritten({ events: [], audit: [] })
    await owner.must('PATCH', `people/${users.member}`, { role: 'member' })
  })

  it('rename the organization if they own it; the event names them', async () => {
    const body = await owner.must('PATCH', 'organization', { name: 'Acme & Sons' })
    assert.equal(body.organization.name, 'Acme & Sons')
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual([event.type, event.actor.id], ['platform.organization.updated', users.owner])
    for (const name of ['', '  ', 'a\u202eb']) assert.equal((await owner.patch('organization', { name })).status, 400)
    assert.equal((await owner.patch('organization', { name: 'Acme', plan: 'enterprise' })).status, 400)
  })

  it('see the bytes of the files of each mode, and the limit', async () => {
    const storage = async (mode: string) => await member.must('GET', `storage?mode=${mode}`)
    const before = await storage('live')
    const workspace = (await world.make('/v1/workspaces', { title: 'Files' })).id
    const file = await world.call('POST', `/v1/files?workspace=${workspace}&name=a.txt`, { raw: 'Agreed on Monday.' })
    assert.equal(file.status, 200, file.text)
    assert.deepEqual(await storage('live'), { bytes: before.bytes + 17, bytes_max: before.bytes_max })
    assert.equal((await storage('test')).bytes, 0)
    await world.delete(`/v1/files/${file.body.id}`)
    assert.deepEqual(await storage('live'), before)
  })

  it('change their password with the current one; their other sessions end', async () => {
    const elsewhere = new Visitor(world.server.url)
    await elsewhere.signIn('member@acme.example', password)
    const next = 'a horse that writes'
    const wrong = await member.post('password', { current: 'not the password', next })
    assert.deepEqual(refusal(wrong), [401, 'sign_in_failed', 'current'])
    assert.deepEqual(refusal(await member.post('password', { current: password, next: 'short' })), [
      400,
      'invalid_request_body',
      'next',
    ])
    const before = member.cookie
    await member.must('POST', 'password', { current: password, next })
    assert.notEqual(member.cookie, before)
    assert.equal((await elsewhere.get('session')).body.signed_in, false)
    assert.equal((await member.get('session')).body.signed_in, true)
    await elsewhere.arrive()
    assert.equal((await elsewhere.post('session', { email: 'member@acme.example', password })).status, 401)
    assert.equal((await elsewhere.post('session', { email: 'member@acme.example', password: next })).status, 200)
  })
})
