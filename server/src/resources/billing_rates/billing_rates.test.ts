import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('billing rates', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Accounts' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Fair' })).id
  })

  const rate = () => ({ workspace, scope: 'workspace', currency: 'EUR', amount_minor: 9500 })

  it('a scope and target have one rate; after its deletion a new one can be created', async () => {
    await world.markWritten()
    const first = await world.make('/v1/billing_rates', rate())
    assert.equal(first.target, null)
    const existing = await world.post('/v1/billing_rates', rate())
    assert.deepEqual([existing.status, existing.body.error.code], [409, 'resource_conflict'])
    await world.delete(`/v1/billing_rates/${first.id}`)
    await world.make('/v1/billing_rates', rate())
    await world.assertWritten({
      events: ['workflow.billing_rate.created', 'workflow.billing_rate.deleted', 'workflow.billing_rate.created'],
      audit: ['billing_rates.create', 'billing_rates.delete', 'billing_rates.create'],
    })
  })

  it('a target must match its scope', async () => {
    for (const [fields, param] of [
      [{ target: project }, 'target'],
      [{ scope: 'project' }, 'target'],
      [{ scope: 'project', target: 'prj_none' }, 'target'],
      [{ scope: 'user', target: 'usr_none' }, 'target'],
      [{ scope: 'team' }, 'scope'],
      [{ currency: 'eur' }, 'currency'],
    ] as const) {
      const reply = await world.post('/v1/billing_rates', { ...rate(), ...fields })
      assert.deepEqual([reply.status, reply.body.error.param], [400, param], JSON.stringify(fields))
    }
  })

  it('a workspace, a project and a person can each have a rate', async () => {
    const ofProject = await world.make('/v1/billing_rates', { ...rate(), scope: 'project', target: project })
    const ofUser = await world.make('/v1/billing_rates', { ...rate(), scope: 'user', target: world.acme.user })
    const reply = await world.patch(`/v1/billing_rates/${ofUser.id}`, { scope: 'project', target: project })
    assert.equal(reply.status, 409)
    const kept = await world.patch(`/v1/billing_rates/${ofProject.id}`, { amount_minor: 1, target: project })
    assert.deepEqual(kept.body, { ...ofProject, amount_minor: 1, revision: 2 })
    const list = await world.get(`/v1/billing_rates?scope=user`)
    assert.deepEqual(list.body.data, [ofUser])
    assertRefused(await world.get('/v1/billing_rates?scope=team'), 'invalid_query_parameter', 'scope')
  })
})
