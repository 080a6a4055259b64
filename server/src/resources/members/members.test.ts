import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import type { Member } from './member.ts'
import { addMember, setMember } from './write.ts'

const refused = (code: string, param: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code && error.options.param === param

onEveryWorld('members', (world) => {
  let people: Member[]
  before(async () => {
    people = []
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dan']) {
      const email = `${name.toLowerCase()}@acme.example`
      people.unshift(await addMember(world.services, world.acme.id, { email, first_name: name }))
    }
  })
  const ids = (body: { data: { id: string }[] }) => body.data.map((member) => member.id)

  it('the list shows every field, newest first, the same in both realms', async () => {
    const live = await world.get('/v1/members')
    assert.deepEqual(live.body.data.slice(0, 4), people)
    assert.deepEqual(
      { ...live.body, data: live.body.data.length },
      { object: 'list', url: '/v1/members', has_more: false, next_cursor: null, data: 5 },
    )
    const owner = live.body.data[4]
    assert.deepEqual([owner.user, owner.email, owner.role], [world.acme.user, 'owner@acme.example', 'owner'])
    assert.equal((await world.get('/v1/members', { key: world.acme.testKey })).text, live.text)
    assert.equal(live.headers['x-ratelimit-cost'], '10')
  })

  it('pages go forward by starting_after and back by ending_before, in the same order', async () => {
    const first = await world.get('/v1/members?limit=2')
    assert.deepEqual(ids(first.body), [people[0]!.id, people[1]!.id])
    assert.deepEqual([first.body.has_more, first.body.next_cursor], [true, people[1]!.id])
    const second = await world.get(`/v1/members?limit=2&starting_after=${first.body.next_cursor}`)
    assert.deepEqual(ids(second.body), [people[2]!.id, people[3]!.id])
    const last = await world.get(`/v1/members?limit=2&starting_after=${second.body.next_cursor}`)
    assert.deepEqual([last.body.data.length, last.body.has_more, last.body.next_cursor], [1, false, null])
    const back = await world.get(`/v1/members?limit=2&ending_before=${last.body.data[0].id}`)
    assert.deepEqual(ids(back.body), [people[2]!.id, people[3]!.id])
    assert.deepEqual([back.body.has_more, back.body.next_cursor], [true, people[2]!.id])
    const begin = await world.get(`/v1/members?limit=2&ending_before=${back.body.next_cursor}`)
    assert.deepEqual([ids(begin.body), begin.body.has_more], [ids(first.body), false])
  })

  it('an unknown or foreign cursor, or one of another object, is refused by its parameter', async () => {
    const foreign = await addMember(world.services, world.globex.id, { email: 'eve@globex.example' })
    for (const id of ['mbr_01ARZ3NDEKTSV4RRFFQ69G5FAV', foreign.id, people[0]!.user, world.acme.keyId]) {
      for (const param of ['starting_after', 'ending_before']) {
        const reply = await world.get(`/v1/members?${param}=${id}`)
        assert.deepEqual([reply.status, reply.body.error.code, reply.body.error.param], [400, 'cursor_invalid', param])
      }
    }
    const both = await world.get(`/v1/members?starting_after=${people[0]!.id}&ending_before=${people[1]!.id}`)
    assert.equal(both.body.error.code, 'invalid_query_parameter')
  })

  it('fields are selected, and an unknown one is refused', async () => {
    const reply = await world.get('/v1/members?limit=1&fields=id,email')
    assert.deepEqual(reply.body.data, [{ id: people[0]!.id, email: 'dan@acme.example' }])
    assert.equal(reply.body.fields_selected, true)
    const wrong = await world.get('/v1/members?fields=id,organization')
    assert.deepEqual([wrong.status, wrong.body.error.param], [400, 'fields'])
  })

  it('another organization sees no members', async () => {
    const { body } = await world.get('/v1/members', { key: world.globex.key })
    for (const member of body.data) assert.match(member.email, /@globex\.example$/)
  })

  it('adding a member emits an event in both realms, by the system', async () => {
    await world.markWritten()
    const fay = await addMember(world.services, world.acme.id, {
      email: 'fay@acme.example',
      last_name: '',
      role: 'Engineer',
      status: 'pending',
    })
    assert.deepEqual(
      { ...fay, id: '', user: '' },
      {
        id: '',
        object: 'member',
        created: 1785844800,
        updated: 1785844800,
        user: '',
        email: 'fay@acme.example',
        first_name: null,
        last_name: null,
        profile_picture_url: null,
        role: 'Engineer',
        status: 'pending',
      },
    )
    await world.assertWritten({ events: ['platform.member.created'], audit: ['members.create', 'members.create'] })
    for (const key of [world.acme.key, world.acme.testKey]) {
      const entry = (await world.get('/v1/audit_logs?limit=1', { key })).body.data[0]
      assert.deepEqual([entry.action, entry.actor], ['members.create', { type: 'system', id: 'system' }])
      assert.deepEqual(entry.target, { object: 'member', id: fay.id })
    }
  })

  it('setting a member changes the given fields; equal ones emit no event', async () => {
    const gus = await addMember(world.services, world.acme.id, { email: 'gus@acme.example', first_name: 'Gus' })
    world.clock.advance(5_000)
    await world.markWritten()
    const change = { first_name: '', status: 'inactive' } as const
    const changed = await setMember(world.services, gus.id, change)
    assert.deepEqual(changed, { ...gus, first_name: null, status: 'inactive', updated: gus.updated + 5 })
    await world.assertWritten({ events: ['platform.member.updated'], audit: ['members.update', 'members.update'] })
    const entry = (await world.get('/v1/audit_logs?limit=1')).body.data[0]
    assert.deepEqual(entry.changed_fields, ['first_name', 'status'])
    assert.deepEqual(await setMember(world.services, gus.id, change), changed)
    await world.assertWritten({ events: [], audit: [] })
    assert.deepEqual((await world.get('/v1/members?limit=1')).body.data, [changed])
  })

  it('members of an organization cannot share an address, ignoring case; other organizations may', async () => {
    const taken = refused('resource_conflict', 'email')
    await assert.rejects(addMember(world.services, world.acme.id, { email: 'ADA@Acme.example' }), taken)
    await assert.rejects(setMember(world.services, people[0]!.id, { email: 'Ben@acme.example' }), taken)
    const dan = await setMember(world.services, people[0]!.id, { email: 'DAN@acme.example' })
    assert.equal(dan.email, 'DAN@acme.example')
    await addMember(world.services, world.globex.id, { email: 'ada@acme.example' })
  })

  it('an invalid address or status and a text over the limit are refused by name and write nothing', async () => {
    await world.markWritten()
    const add = (fields: object) => addMember(world.services, world.acme.id, { email: 'x@acme.example', ...fields })
    for (const email of ['', 'x', 'x@', '@y', 'x y@z.example', `${'x'.repeat(320)}@z.example`]) {
      await assert.rejects(add({ email }), refused('invalid_request_body', 'email'), email)
    }
    await assert.rejects(add({ status: 'gone' }), refused('invalid_request_body', 'status'))
    await assert.rejects(add({ role: 'x'.repeat(121) }), refused('invalid_request_body', 'role'))
    await assert.rejects(add({ first_name: 'x'.repeat(201) }), refused('invalid_request_body', 'first_name'))
    await assert.rejects(add({ user: 'usr_1' }), refused('invalid_request_body', 'user'))
    await assert.rejects(
      setMember(world.services, people[0]!.id, { email: 'x' }),
      refused('invalid_request_body', 'email'),
    )
    await world.assertWritten({ events: [], audit: [] })
  })

  it('an unknown organization or member is refused', async () => {
    const add = addMember(world.services, 'org_01ARZ3NDEKTSV4RRFFQ69G5FAV', { email: 'x@acme.example' })
    await assert.rejects(add, refused('resource_not_found', 'organization'))
    const set = setMember(world.services, 'mbr_01ARZ3NDEKTSV4RRFFQ69G5FAV', { role: 'x' })
    await assert.rejects(set, refused('resource_not_found', 'id'))
  })
})
