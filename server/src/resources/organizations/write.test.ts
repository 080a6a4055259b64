import assert from 'node:assert/strict'
import { it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'
import { Refusal } from '../../api/declare/errors.ts'
import { foundOrganization } from './found.ts'
import { setOrganization } from './write.ts'

const refused = (code: string, param: string) => (error: unknown) =>
  error instanceof Refusal && error.code === code && error.options.param === param

onEveryWorld('changing an organization', (world) => {
  it('a new name and plan emit events in both realms and are shown within a second; equal ones emit none', async () => {
    world.clock.advance(3_000)
    await world.markWritten()
    const set = await setOrganization(world.services, world.acme.id, { name: 'Acme & Sons', plan: 'studio' })
    await world.assertWritten({
      events: ['platform.organization.updated'],
      audit: ['organizations.update', 'organizations.update'],
    })
    world.clock.advance(1_000)
    const shown = (await world.get(`/v1/organizations/${world.acme.id}`)).body
    assert.deepEqual(set, shown)
    assert.deepEqual([shown.name, shown.plan, shown.updated], ['Acme & Sons', 'studio', 1785844803])
    const same = await setOrganization(world.services, world.acme.id, { name: 'Acme & Sons', plan: 'studio' })
    assert.deepEqual(same, set)
    await world.assertWritten({ events: [], audit: [] })
  })

  it('without a plan every request is refused with 402 until a plan is set', async () => {
    const lapsed = await setOrganization(world.services, world.acme.id, { plan: 'none' })
    assert.equal(lapsed.plan, null)
    world.clock.advance(1_000)
    const reply = await world.get('/v1/me')
    assert.deepEqual([reply.status, reply.body.error.code], [402, 'plan_required'])
    await setOrganization(world.services, world.acme.id, { plan: 'enterprise' })
    world.clock.advance(1_000)
    assert.equal((await world.get('/v1/me')).body.plan, 'enterprise')
  })

  it('an unknown organization, an unknown plan and an empty name are refused', async () => {
    const set = (change: object, id = world.acme.id) => setOrganization(world.services, id, change)
    await assert.rejects(set({ name: 'x' }, 'org_none'), refused('resource_not_found', 'organization'))
    await assert.rejects(set({ plan: 'gold' }), refused('invalid_request_body', 'plan'))
    await assert.rejects(set({ name: '' }), refused('invalid_request_body', 'name'))
  })

  it('creating an organization refuses a name, owner or domain that the contract does not allow', async () => {
    const found = (fields: object) =>
      foundOrganization(world.services, {
        name: 'New',
        ownerEmail: 'owner@new.example',
        plan: 'studio',
        domains: [],
        ...fields,
      })
    await assert.rejects(found({ name: '' }), refused('invalid_request_body', 'name'))
    await assert.rejects(found({ ownerEmail: 'not-an-address' }), refused('invalid_request_body', 'ownerEmail'))
    await assert.rejects(found({ domains: ['a.example', ''] }), refused('invalid_request_body', 'domains[1]'))
  })
})
