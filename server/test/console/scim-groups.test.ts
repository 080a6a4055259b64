/** Groups over SCIM 2.0, with the requests that Okta and Entra ID send. */
import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { limits } from '../../src/api/limits.ts'
import { console_limits } from '../../src/console/limits.ts'
import { addTeam } from '../../src/resources/teams/write.ts'
import { call, type Reply } from '../call.ts'
import { onEveryWorld, openFirst } from '../world.ts'
import { ownerOf, password } from './visitor.ts'

const core = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const user_core = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patch_schema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Both realms of the organization have the entry. */
const twice = (action: string) => [action, action]

onEveryWorld('Groups over SCIM', (world) => {
  const owner = openFirst(() => ownerOf(world))
  let secret: string
  let people: string[]

  before(async () => {
    secret = (await owner.must('POST', 'scim-tokens', { name: 'Okta' })).secret
    people = []
    for (const name of ['ada', 'bob', 'eve', 'kim'])
      people.push((await scim('POST', '/Users', { schemas: [user_core], userName: `${name}@corp.example` })).body.id)
  })

  const scim = async (method: string, path: string, body?: unknown, key = secret): Promise<Reply> => {
    const reply = await call(world.server.url, method, `/scim/v2${path}`, {
      ...{ key, idempotencyKey: null },
      ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
      headers: { 'content-type': 'application/scim+json' },
    })
    return { ...reply, body: reply.text === '' ? null : JSON.parse(reply.text) }
  }
  const failure = ({ status, body }: Reply) => [status, body?.scimType ?? null]
  const make = async (displayName: string, more: object = {}): Promise<Reply['body']> => {
    const reply = await scim('POST', '/Groups', { schemas: [core], displayName, ...more })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  const send = (id: string, ...Operations: object[]) =>
    scim('PATCH', `/Groups/${id}`, { schemas: [patch_schema], Operations })
  const patch = async (id: string, ...operations: object[]) => {
    const reply = await send(id, ...operations)
    assert.equal(reply.status, 204, reply.text)
    return await membersOf(id)
  }
  const membersOf = async (id: string): Promise<string[]> =>
    (await scim('GET', `/Groups/${id}`)).body.members.map(({ value }: { value: string }) => value)
  const find = async (filter: string): Promise<string[]> => {
    const reply = await scim('GET', `/Groups?filter=${encodeURIComponent(filter)}`)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.totalResults, reply.body.Resources.length)
    return reply.body.Resources.map(({ id }: { id: string }) => id)
  }
  const value = (index: number) => ({ value: people[index] })

  it('are described: resource type, schema, and the groups of a user, which are read only', async () => {
    assert.equal((await scim('GET', '/ResourceTypes/Group')).body.endpoint, '/Groups')
    const { attributes } = (await scim('GET', `/Schemas/${core}`)).body
    assert.deepEqual(
      attributes.map(({ name }: { name: string }) => name),
      ['displayName', 'members'],
    )
    const users = (await scim('GET', `/Schemas/${user_core}`)).body.attributes
    const groups = users.find(({ name }: { name: string }) => name === 'groups')
    assert.deepEqual([groups.multiValued, groups.mutability], [true, 'readOnly'])
  })

  it('creates, finds, changes and deletes a group as Okta does', async () => {
    assert.deepEqual(await find('displayName eq "Sales"'), [])
    await world.markWritten()
    const made = await make('Sales', { members: [{ ...value(0), display: 'ada@corp.example' }] })
    await world.assertWritten({
      events: ['platform.team.created', 'platform.team_member.created'],
      audit: twice('teams.create'),
    })
    const { id, meta } = made
    const $ref = `${world.server.url}/scim/v2/Users/${people[0]}`
    assert.deepEqual(made, {
      ...{ schemas: [core], id, displayName: 'Sales' },
      members: [{ ...value(0), display: 'ada@corp.example', type: 'User', $ref }],
      meta: { ...meta, resourceType: 'Group', location: `${world.server.url}/scim/v2/Groups/${id}` },
    })
    assert.deepEqual((await scim('GET', `/Groups/${id}`)).body, made)
    assert.deepEqual(await find('displayName eq "sales"'), [id])
    const team = (await world.get('/v1/teams?limit=1')).body.data[0]
    assert.deepEqual([team.id, team.name, team.description], [id, 'Sales', null])
    assert.deepEqual((await scim('GET', `/Users/${people[0]}`)).body.groups, [
      { value: id, display: 'Sales', type: 'direct', $ref: `${world.server.url}/scim/v2/Groups/${id}` },
    ])
    assert.deepEqual(failure(await scim('POST', '/Groups', { schemas: [core], displayName: 'SALES' })), [
      409,
      'uniqueness',
    ])
    await world.markWritten()
    assert.deepEqual(await patch(id, { op: 'replace', value: { id, displayName: 'Selling' } }), [people[0]])
    await world.assertWritten({ events: ['platform.team.updated'], audit: twice('teams.update') })
    assert.deepEqual(await patch(id, { op: 'add', path: 'members', value: [value(1), value(2)] }), people.slice(0, 3))
    assert.deepEqual(await patch(id, { op: 'remove', path: `members[value eq "${people[0]}"]` }), [
      people[1],
      people[2],
    ])
    await world.markWritten()
    assert.deepEqual(await patch(id, { op: 'replace', path: 'members', value: [value(2), value(3)] }), [
      people[2],
      people[3],
    ])
    await world.assertWritten({
      events: ['platform.team_member.deleted', 'platform.team_member.created'],
      audit: twice('teams.update'),
    })
    assert.deepEqual(await patch(id, { op: 'add', path: 'members', value: [value(2)] }), [people[2], people[3]])
    await world.assertWritten({ events: [], audit: [] })
    const replaced = await scim('PUT', `/Groups/${id}`, { schemas: [core], displayName: 'Sales', members: [value(0)] })
    assert.deepEqual([replaced.status, replaced.body.displayName, replaced.body.members.length], [200, 'Sales', 1])
    const renamed = await scim('PUT', `/Groups/${id}`, { schemas: [core], displayName: 'Sellers' })
    assert.deepEqual(
      renamed.body.members.map((each: { value: string }) => each.value),
      [people[0]],
      'members that are left out stay',
    )
    await world.markWritten()
    assert.equal((await scim('DELETE', `/Groups/${id}`)).status, 204)
    await world.assertWritten({
      events: ['platform.team.deleted', 'platform.team_member.deleted'],
      audit: twice('teams.delete'),
    })
    assert.deepEqual(failure(await scim('GET', `/Groups/${id}`)), [404, null])
    assert.deepEqual(failure(await scim('DELETE', `/Groups/${id}`)), [404, null])
    assert.equal((await world.get(`/v1/teams/${id}/members`)).status, 410)
    assert.equal((await scim('GET', `/Users/${people[0]}`)).body.groups, undefined)
    assert.ok((await world.get('/v1/teams')).body.data.every((each: { id: string }) => each.id !== id))
  })

  it('creates, finds and changes a group as Entra ID does', async () => {
    const externalId = '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159'
    assert.deepEqual(await find(`externalId eq "${externalId}"`), [])
    const { id } = await make('Design', { schemas: [core, 'http://schemas.example/Group'], externalId, meta: {} })
    assert.deepEqual(await find(`externalId eq "${externalId}"`), [id])
    assert.deepEqual(await patch(id, { op: 'Add', path: 'members', value: [{ $ref: null, ...value(0) }] }), [people[0]])
    assert.deepEqual(await patch(id, { op: 'Add', path: 'members', value: value(1) }), people.slice(0, 2))
    assert.deepEqual(await patch(id, { op: 'Add', value: { members: [value(2)] } }), people.slice(0, 3))
    assert.deepEqual(
      await patch(id, { op: 'Remove', path: 'members', value: [{ $ref: null, ...value(0) }] }),
      people.slice(1, 3),
    )
    const path = `members[value eq "${people[1]}" or value eq "${people[2]}"]`
    assert.deepEqual(await patch(id, { op: 'Remove', path }), [])
    assert.deepEqual(await patch(id, { op: 'Remove', path }), [], 'who is not in it changes nothing')
    const name = [{ $ref: null, value: 'Product design' }]
    assert.deepEqual(
      await patch(
        id,
        { op: 'Replace', path: 'displayName', value: name },
        { op: 'Add', path: `${core}:members`, value: [value(3)] },
        { op: 'Add', path: 'description', value: 'Not stored' },
      ),
      [people[3]],
    )
    const listed = await scim('GET', `/Groups?excludedAttributes=members&filter=externalId%20eq%20%22${externalId}%22`)
    const [only] = listed.body.Resources
    assert.deepEqual([only.displayName, only.externalId, 'members' in only], ['Product design', externalId, false])
    assert.equal('members' in (await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body, false)
    assert.equal('members' in (await scim('GET', `/Groups/${id}?attributes=displayName`)).body, false)
    assert.equal((await scim('GET', `/Groups/${id}?attributes=displayName,members`)).body.members.length, 1)
    assert.deepEqual(await find(`members.value eq "${people[3]}"`), [id])
    assert.deepEqual(await find(`id eq "${id}" and members eq "${people[3]}"`), [id])
    assert.deepEqual(await find(`id eq "${id}" and members[value eq "${people[0]}"]`), [])
    const shown = await scim('PATCH', `/Groups/${id}?attributes=members`, {
      schemas: [patch_schema],
      Operations: [
        { op: 'Remove', path: 'members' },
        { op: 'remove', path: 'externalId' },
      ],
    })
    assert.deepEqual([shown.status, shown.body.members, shown.body.externalId], [200, [], undefined])
  })

  it('are the teams of the organization, and give no role', async () => {
    const team = await addTeam(world.services, world.acme.id, { name: 'Made here' })
    const [boss = ''] = (
      await scim('GET', '/Users?filter=userName%20eq%20%22owner@acme.example%22')
    ).body.Resources.map(({ id }: { id: string }) => id)
    assert.deepEqual(await find('displayName eq "Made here"'), [team.id])
    assert.deepEqual(await patch(team.id, { op: 'add', path: 'members', value: [{ value: boss }] }), [boss])
    const added = (await world.get(`/v1/teams/${team.id}/members`)).body.data
    assert.deepEqual(
      added.map(({ user }: { user: string }) => user),
      [boss],
    )
    assert.deepEqual(await patch(team.id, { op: 'remove', path: 'members' }), [])
    const { role } = (await owner.get('people')).body.data.find(({ user }: { user: string }) => user === boss)
    assert.equal(role, 'owner')
  })

  it('keep a deactivated person, and lose a deleted one in the same commit', async () => {
    const { id } = await make('Leavers', { members: [value(0), value(1)] })
    const off = { schemas: [patch_schema], Operations: [{ op: 'replace', value: { active: false } }] }
    assert.equal((await scim('PATCH', `/Users/${people[0]}`, off)).status, 200)
    assert.deepEqual(await membersOf(id), people.slice(0, 2))
    assert.deepEqual(await patch(id, { op: 'remove', path: 'members', value: [value(0)] }), [people[1]])
    assert.deepEqual(await patch(id, { op: 'add', path: 'members', value: [value(0)] }), [people[1], people[0]])
    await world.markWritten()
    assert.equal((await scim('DELETE', `/Users/${people[1]}`)).status, 204)
    await world.assertWritten({
      events: ['platform.member.updated', 'platform.team_member.deleted'],
      audit: twice('members.update'),
    })
    assert.deepEqual(await membersOf(id), [people[0]])
    assert.deepEqual(failure(await send(id, { op: 'add', path: 'members', value: [value(1)] })), [400, 'invalidValue'])
    people[1] = (await scim('POST', '/Users', { schemas: [user_core], userName: 'bob2@corp.example' })).body.id
  })

  it('say what is wrong with a request, by attribute and value, and then nothing is changed', async () => {
    const { id } = await make('Wrong', { members: [value(3)] })
    await world.markWritten()
    const many = Array.from({ length: console_limits.scim_members_max + 1 }, (_, i) => ({ value: `usr_${i}` }))
    const cases: readonly (readonly [Reply, number, string | null, RegExp])[] = [
      [await scim('POST', '/Groups', { schemas: [core] }), 400, 'invalidValue', /`displayName` is required/],
      [await scim('POST', '/Groups', { displayName: 7 }), 400, 'invalidValue', /`displayName` cannot be "7"/],
      [await scim('POST', '/Groups', { displayName: ' ' }), 400, 'invalidValue', /`displayName`/],
      [await scim('POST', '/Groups', { displayName: 'x'.repeat(501) }), 400, 'invalidValue', /501 characters/],
      [await scim('POST', '/Groups', { displayName: 'A', members: many }), 400, 'invalidValue', /`members` has 1001/],
      [
        await scim('POST', '/Groups', { displayName: 'A', members: [{}] }),
        400,
        'invalidValue',
        /`members\[0\]\.value`/,
      ],
      [
        await scim('POST', '/Groups', { displayName: 'A', members: [{ value: 'usr_x' }] }),
        400,
        'invalidValue',
        /"usr_x"/,
      ],
      [
        await send(id, { op: 'add', path: 'members', value: [value(0), { value: id, type: 'Group' }] }),
        ...([400, 'invalidValue', /`members\[1\]\.type` cannot be "Group"/] as const),
      ],
      [
        await send(
          id,
          { op: 'replace', path: 'displayName', value: 'B' },
          { op: 'add', path: 'members', value: ['u'] },
        ),
        ...([400, 'invalidValue', /names no user/] as const),
      ],
      [
        await send(id, { op: 'add', path: 'members', value: ['u\0'] }),
        ...([400, 'invalidSyntax', /U\+0000 at `Operations\[0\]\.value\[0\]`/] as const),
      ],
      [await send(id, { op: 'remove', path: 'displayName' }), 400, 'mutability', /`displayName` is required/],
      [await send(id, { op: 'remove' }), 400, 'noTarget', /path/],
      [await send(id, { op: 'add', value: 'members' }), 400, 'invalidValue', /must be an object/],
      [await send(id, { op: 'remove', path: 'members[display eq "A"]' }), 400, 'invalidPath', /members\[value eq/],
      [await send(id, { op: 'remove', path: 'members[' }), 400, 'invalidPath', /"members\["/],
      [await send(id, { op: 'add', path: 'members[value eq "a"]', value: 1 }), 400, 'invalidPath', /with add/],
      [await send(id, { op: 'replace', path: 'displayName', value: 'Leavers' }), 409, 'uniqueness', /"Leavers"/],
      [await scim('GET', '/Groups?filter=displayName%20co%20%22a%22'), 400, 'invalidFilter', /"displayName co "a""/],
      [await scim('GET', '/Groups?filter=constructor%20eq%20%22a%22'), 400, 'invalidFilter', /is not supported/],
      [await scim('GET', '/Groups?filter=((('), 400, 'invalidFilter', /is not supported/],
    ]
    for (const [reply, status, scimType, detail] of cases) {
      assert.deepEqual(failure(reply), [status, scimType], reply.text)
      assert.match(reply.body.detail, detail)
    }
    await world.assertWritten({ events: [], audit: [] })
    const { body } = await scim('GET', `/Groups/${id}`)
    assert.deepEqual([body.displayName, body.members.length], ['Wrong', 1])
    for (const missing of ['a%00', '%00', 'team%20x', 'x'.repeat(161)])
      assert.deepEqual(failure(await scim('GET', `/Groups/${missing}`)), [404, null], missing)
    assert.deepEqual(await find('members.value eq "a\\u0000"'), [])
  })

  it('are listed in pages, in a fixed order', async () => {
    const all = (await scim('GET', '/Groups')).body
    assert.equal(all.totalResults, all.Resources.length)
    const paged: string[] = []
    for (let start = 1; start <= all.totalResults; start += 2) {
      const { body } = await scim('GET', `/Groups?startIndex=${start}&count=2`)
      assert.deepEqual([body.totalResults, body.startIndex], [all.totalResults, start])
      paged.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    assert.deepEqual(
      paged,
      all.Resources.map(({ id }: { id: string }) => id),
    )
    assert.deepEqual((await scim('GET', '/Groups?count=0')).body.Resources, [])
    assert.deepEqual(failure(await scim('GET', '/Groups?count=many')), [400, 'invalidValue'])
  })

  it('know nothing of another organization, byte for byte', async () => {
    const globex = await ownerOf(world, world.globex)
    const other = (await globex.must('POST', 'scim-tokens', { name: 'Theirs' })).secret
    const { id } = await make('Ours', { members: [value(0)], externalId: 'ours' })
    const missing = `team_${'0'.repeat(id.length - 5)}`
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { schemas: [core], displayName: 'x', members: [] }],
      ['PATCH', { schemas: [patch_schema], Operations: [{ op: 'remove', path: 'members' }] }],
      ['DELETE', undefined],
    ] as const) {
      const foreign = await scim(method, `/Groups/${id}`, body, other)
      const unknown = await scim(method, `/Groups/${missing}`, body, other)
      assert.equal(foreign.status, 404)
      assert.equal(foreign.text.replaceAll(id, ''), unknown.text.replaceAll(missing, ''))
    }
    assert.equal((await scim('GET', '/Groups', undefined, other)).body.totalResults, 0)
    const stolen = { schemas: [core], displayName: 'Ours', externalId: 'ours' }
    const theirs = await scim('POST', '/Groups', stolen, other)
    assert.equal(theirs.status, 201, 'names and ids of providers are those of one organization')
    const add = { schemas: [patch_schema], Operations: [{ op: 'add', path: 'members', value: [value(0)] }] }
    assert.deepEqual(failure(await scim('PATCH', `/Groups/${theirs.body.id}`, add, other)), [400, 'invalidValue'])
    assert.deepEqual(await membersOf(id), [people[0]])
  })

  it('have a bound of people, over several requests', async () => {
    const now = world.clock.now()
    const { id } = await make('Everyone')
    await world.services.store.write('system', async (tx) => {
      for (let i = 0; i < limits.team_members_max; i++)
        tx.insert('team_members', {
          ...{ organization: world.acme.id, id: `tmb_many${i}`, team: id, user: `usr_many${i}`, deleted_at: null },
          ...{ created: now, updated: now },
        })
    })
    const refused = await send(id, { op: 'add', path: 'members', value: [value(0)] })
    assert.deepEqual(failure(refused), [400, 'invalidValue'])
    assert.match(refused.body.detail, /would have 1001 people/)
    await owner.must('POST', 'step-up', { password })
  })
})
