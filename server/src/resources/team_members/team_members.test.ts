import assert from 'node:assert/strict'
import { beforeEach, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { limits } from '../../api/limits.ts'
import { addMember, setMember } from '../members/write.ts'
import type { Team } from '../teams/team.ts'
import { addTeam } from '../teams/write.ts'

onEveryWorld('people of teams', (world) => {
  let team: Team
  let path: string
  let count = 0
  beforeEach(async () => {
    team = await addTeam(world.services, world.acme.id, { name: `Team ${++count}` })
    path = `/v1/teams/${team.id}/members`
  })

  const person = (status: 'active' | 'inactive' | 'pending' = 'active') =>
    addMember(world.services, world.acme.id, { email: `p${++count}@acme.example`, status })
  const codeOf = (reply: { status: number; body: { error?: { code: string; param?: string } } }) => [
    reply.status,
    reply.body.error?.code,
    reply.body.error?.param,
  ]
  const usersOf = async (options: { key?: string } = {}) =>
    (await world.get(path, options)).body.data.map(({ user }: { user: string }) => user)
  const eventsOf = async (key: string, object: string) =>
    (await world.get(`/v1/events?object=${object}`, { key })).body.data.map(({ type }: { type: string }) => type)

  it('adds a person once, in the logs of both realms, and leaves the team as it is', async () => {
    const { user } = await person()
    await world.markWritten()
    const added = await world.make(path, { user })
    assert.deepEqual(added, {
      ...{ id: added.id, object: 'team_member', created: 1785844800, updated: 1785844800 },
      ...{ team: team.id, user },
    })
    assert.match(added.id, /^tmb_/)
    const action = 'team_members.create'
    await world.assertWritten({ events: ['platform.team_member.created'], audit: [action, action] })
    assert.deepEqual(await world.make(path, { user }, { key: world.acme.testKey }), added)
    await world.assertWritten({ events: [], audit: [] })
    for (const key of [world.acme.key, world.acme.testKey]) {
      assert.deepEqual(await usersOf({ key }), [user])
      assert.deepEqual(await eventsOf(key, added.id), ['platform.team_member.created'])
      assert.deepEqual((await world.get('/v1/teams?limit=1', { key })).body.data, [team])
    }
  })

  it('removes a person by the user id; adding again makes another membership', async () => {
    const { user } = await person()
    const added = await world.make(path, { user })
    await world.markWritten()
    const removed = await world.delete(`${path}/${user}`)
    assert.deepEqual(removed.body, { id: added.id, object: 'team_member', deleted: true })
    const action = 'team_members.delete'
    await world.assertWritten({ events: ['platform.team_member.deleted'], audit: [action, action] })
    assert.deepEqual(await eventsOf(world.acme.testKey, added.id), [
      'platform.team_member.deleted',
      'platform.team_member.created',
    ])
    assert.deepEqual(codeOf(await world.delete(`${path}/${user}`)).slice(0, 2), [404, 'resource_not_found'])
    assert.notEqual((await world.make(path, { user })).id, added.id)
  })

  it('lists people newest first, in pages; a cursor of a removed person continues, one of another team is refused', async () => {
    const made = []
    for (let i = 0; i < 3; i++) made.unshift(await world.make(path, { user: (await person()).user }))
    const first = await world.get(`${path}?limit=1`)
    assert.deepEqual([first.body.data, first.body.has_more], [made.slice(0, 1), true])
    assert.equal((await world.delete(`${path}/${made[0].user}`)).status, 200)
    const rest = await world.get(`${path}?starting_after=${made[0].id}`)
    assert.deepEqual([rest.body.data, rest.body.has_more], [made.slice(1), false])
    const other = await addTeam(world.services, world.acme.id, { name: 'Other' })
    const refused = await world.get(`/v1/teams/${other.id}/members?starting_after=${made[1].id}`)
    assert.deepEqual(codeOf(refused), [400, 'cursor_filter_mismatch', 'starting_after'])
  })

  it('accepts invited people and refuses inactive and foreign ones; who is deactivated stays in the team', async () => {
    const invited = await person('pending')
    const active = await person()
    await world.make(path, { user: invited.user })
    await world.make(path, { user: active.user })
    const inactive = await person('inactive')
    for (const user of [inactive.user, world.globex.user, 'usr_none', inactive.id])
      assert.deepEqual(codeOf(await world.post(path, { user })), [400, 'invalid_request_body', 'user'], user)
    await setMember(world.services, active.id, { status: 'inactive' })
    assert.deepEqual(await usersOf(), [active.user, invited.user])
  })

  it('is closed to other organizations and to keys without the scope', async () => {
    const { user } = await person()
    await world.make(path, { user })
    const { key } = world.globex
    const missing = path.replace(team.id, 'team_none')
    for (const [method, end, body] of [
      ['GET', '', undefined],
      ['POST', '', { user: world.globex.user }],
      ['DELETE', `/${user}`, undefined],
    ] as const) {
      const foreign = await world.call(method, `${path}${end}`, { key, body })
      const unknown = await world.call(method, `${missing}${end}`, { key, body })
      assert.deepEqual(codeOf(foreign).slice(0, 2), [404, 'resource_not_found'])
      assert.deepEqual(foreign.body.error.message, unknown.body.error.message)
    }
    const reader = (await world.key({ scopes: ['api:read'] })).secret
    assert.deepEqual(await usersOf({ key: reader }), [user])
    assert.deepEqual(codeOf(await world.post(path, { user }, { key: reader })).slice(0, 2), [403, 'insufficient_scope'])
  })

  it('has a bound', async () => {
    const [last, ...users] = await Promise.all(
      Array.from({ length: limits.team_members_max + 1 }, async () => (await person()).user),
    )
    const now = world.clock.now()
    await world.services.store.write('system', async (tx) => {
      for (const [i, user] of users.entries())
        tx.insert('team_members', {
          ...{ organization: world.acme.id, id: `tmb_${i}`, team: team.id, user, deleted_at: null },
          ...{ created: now, updated: now },
        })
    })
    const refused = await world.post(path, { user: last })
    assert.deepEqual(codeOf(refused).slice(0, 2), [409, 'resource_conflict'])
    assert.equal((await world.post(path, { user: users[0] })).status, 200, 'who is in it already')
  })

  it('selects the tasks of its people in filters', async () => {
    const [ada, bob, eve] = [await person(), await person(), await person()]
    await world.make(path, { user: ada.user })
    await world.make(path, { user: bob.user })
    const workspace = (await world.make('/v1/workspaces', { title: `W ${count}` })).id
    const task = async (title: string, assignee: string | null) =>
      await world.make('/v1/tasks', { workspace, title, assignee })
    for (const [title, user] of [
      ['of Ada', ada.user],
      ['of Bob', bob.user],
      ['of Eve', eve.user],
      ['of none', null],
    ] as const)
      await task(title, user)
    const titles = async (filter: string, key = world.acme.key) => {
      const reply = await world.get(`/v1/tasks?workspace=${workspace}&filter=${encodeURIComponent(filter)}`, { key })
      return reply.status === 200
        ? reply.body.data.map(({ title }: { title: string }) => title).sort()
        : [reply.body.error.code, reply.body.error.param, reply.body.error.message]
    }
    assert.deepEqual(await titles(`team = ${team.id}`), ['of Ada', 'of Bob'])
    assert.deepEqual(await titles(`team = "${team.name.toUpperCase()}"`), ['of Ada', 'of Bob'])
    assert.deepEqual(await titles(`team != "${team.name}"`), ['of Eve', 'of none'])
    assert.deepEqual(await titles(`team = "${team.name}" assignee = ${ada.user}`), ['of Ada'])
    const empty = await addTeam(world.services, world.acme.id, { name: `Empty ${count}` })
    assert.deepEqual(await titles(`team IN ("${empty.name}", ${team.id})`), ['of Ada', 'of Bob'])
    assert.deepEqual(await titles(`team = ${empty.id}`), [])
    assert.deepEqual(await titles('team = team_01K00000000000000000000000'), [])
    const count2 = await world.get(`/v1/tasks/count?workspace=${workspace}&filter=team%3D${team.id}`)
    assert.equal(count2.body.count, 2)
    const unknown =
      'The field `team` cannot be "Ghosts" (at character 8). Use a team id (team_…) or the name of exactly one team.'
    const refused = ['invalid_query_parameter', 'filter']
    assert.deepEqual(await titles('team = "Ghosts"'), [...refused, unknown])
    assert.deepEqual((await titles('team = null')).slice(0, 2), refused)
    assert.deepEqual((await titles('team < a')).slice(0, 2), refused)
    await addTeam(world.services, world.acme.id, { name: team.name })
    assert.match((await titles(`team = "${team.name}"`))[2], /matches several: team_/)
    const foreign = await world.get(`/v1/tasks?filter=${encodeURIComponent(`team = "${team.name}"`)}`, {
      key: world.globex.key,
    })
    assert.deepEqual(codeOf(foreign), [400, ...refused])
    await world.delete(`${path}/${bob.user}`)
    assert.deepEqual(await titles(`team = ${team.id}`), ['of Ada'])
  })
})
