import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('invoice drafts', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Accounts' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Fair' })).id
  })

  const amounts = () => ({ net_amount_minor: 10000, tax_amount_minor: 1900, gross_amount_minor: 11900 })
  const make = (fields: object = {}) =>
    world.make('/v1/invoice_drafts', { workspace, project, currency: 'EUR', ...amounts(), ...fields })
  const move = (id: string, status: string) => world.patch(`/v1/invoice_drafts/${id}`, { status })

  it('goes from draft to ready, finalized and void and keeps the times', async () => {
    const draft = await make()
    assert.deepEqual([draft.status, draft.finalized_at, draft.voided_at], ['draft', null, null])
    await move(draft.id, 'ready')
    await move(draft.id, 'draft')
    await move(draft.id, 'ready')
    const finalized = await move(draft.id, 'finalized')
    assert.deepEqual([finalized.body.finalized_at, finalized.body.revision], [1785844800, 5])
    const voided = await move(draft.id, 'void')
    assert.deepEqual([voided.body.status, voided.body.voided_at], ['void', 1785844800])
  })

  it('no state can be skipped, and finalized does not go back', async () => {
    const { id } = await make()
    for (const status of ['finalized', 'void']) assert.equal((await move(id, status)).status, 409)
    await move(id, 'ready')
    await move(id, 'finalized')
    for (const status of ['draft', 'ready']) assert.equal((await move(id, status)).status, 409)
    assert.equal((await world.delete(`/v1/invoice_drafts/${id}`)).status, 409)
  })

  it('the amounts of a finalized draft cannot change; equal ones change nothing', async () => {
    const { id } = await make({ status: 'ready' })
    await move(id, 'finalized')
    const torn = await world.patch(`/v1/invoice_drafts/${id}`, { currency: 'USD' })
    assert.deepEqual([torn.status, torn.body.error.param], [409, 'currency'])
    const same = await world.patch(`/v1/invoice_drafts/${id}`, { ...amounts(), currency: 'EUR' })
    assert.deepEqual([same.status, same.body.revision], [200, 2])
  })

  it('amounts must add up, also after a partial change', async () => {
    const reply = await world.post('/v1/invoice_drafts', {
      workspace,
      project,
      currency: 'EUR',
      ...amounts(),
      tax_amount_minor: 0,
    })
    assert.deepEqual([reply.status, reply.body.error.param], [400, 'gross_amount_minor'])
    const { id } = await make()
    assert.equal((await world.patch(`/v1/invoice_drafts/${id}`, { tax_amount_minor: 0 })).status, 400)
    const both = await world.patch(`/v1/invoice_drafts/${id}`, { tax_amount_minor: 0, gross_amount_minor: 10000 })
    assert.equal(both.body.gross_amount_minor, 10000)
  })

  it('is created as draft or ready only', async () => {
    for (const status of ['finalized', 'void', 'paid']) {
      const body = { workspace, project, currency: 'EUR', ...amounts(), status }
      const reply = await world.post('/v1/invoice_drafts', body)
      assert.deepEqual([reply.status, reply.body.error.param], [400, 'status'])
    }
  })
})
