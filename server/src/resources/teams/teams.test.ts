import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { addTeam } from './write.ts'

const refused = (code: string, param: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code && error.options.param === param

onEveryWorld('teams', (world) => {
  it('adding a team emits an event in both realms; an empty description becomes null', async () => {
    await world.markWritten()
    const team = await addTeam(world.services, world.acme.id, { name: 'Platform', description: '' })
    assert.deepEqual(team, {
      id: team.id,
      object: 'team',
      created: 1785844800,
      updated: 1785844800,
      name: 'Platform',
      description: null,
    })
    await world.assertWritten({ events: ['platform.team.created'], audit: ['teams.create', 'teams.create'] })
    for (const key of [world.acme.key, world.acme.testKey]) {
      assert.deepEqual((await world.get('/v1/teams', { key })).body.data, [team])
    }
    assert.deepEqual((await world.get('/v1/teams', { key: world.globex.key })).body.data, [])
  })

  it('pages go in both directions; fields are selected; a foreign cursor is refused', async () => {
    const made = []
    for (const name of ['One', 'Two', 'Three']) {
      made.unshift(await addTeam(world.services, world.acme.id, { name, description: `${name}.` }))
    }
    const first = await world.get('/v1/teams?limit=2')
    assert.deepEqual([first.body.data, first.body.next_cursor], [made.slice(0, 2), made[1]!.id])
    const next = await world.get(`/v1/teams?limit=1&starting_after=${first.body.next_cursor}&fields=name`)
    assert.deepEqual([next.body.data, next.body.fields_selected], [[{ name: 'One' }], true])
    const back = await world.get(`/v1/teams?ending_before=${made[2]!.id}`)
    assert.deepEqual([back.body.data, back.body.has_more], [made.slice(0, 2), false])
    const foreign = await world.get(`/v1/teams?starting_after=${made[0]!.id}`, { key: world.globex.key })
    assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'cursor_invalid'])
  })

  it('a name is required, a description is bounded, and an unknown organization is refused', async () => {
    const add = (fields: { name: string; description?: string }, organization = world.acme.id) =>
      addTeam(world.services, organization, fields)
    await assert.rejects(add({ name: '' }), refused('invalid_request_body', 'name'))
    await assert.rejects(add({ name: 'x'.repeat(501) }), refused('invalid_request_body', 'name'))
    await assert.rejects(
      add({ name: 'x', description: 'x'.repeat(2001) }),
      refused('invalid_request_body', 'description'),
    )
    await assert.rejects(add({ name: 'x' }, 'org_none'), refused('resource_not_found', 'organization'))
  })
})
