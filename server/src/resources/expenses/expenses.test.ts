import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { onEveryWorld } from '../../../test/world.ts'

onEveryWorld('expenses', (world) => {
  let workspace: string
  let project: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Accounts' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Fair' })).id
  })

  const fare = () => ({
    workspace,
    category: 'Travel',
    expense_date: '2026-08-03',
    currency: 'EUR',
    gross_amount_minor: 11900,
  })

  it('a new expense is a draft with every field, one event and one audit entry', async () => {
    await world.markWritten()
    const expense = await world.make('/v1/expenses', {
      ...fare(),
      net_amount_minor: 10000,
      tax_amount_minor: 1900,
      vendor: '',
    })
    assert.deepEqual(expense, {
      id: expense.id,
      object: 'expense',
      created: 1785844800,
      updated: 1785844800,
      workspace,
      project: null,
      category: 'Travel',
      expense_date: '2026-08-03',
      currency: 'EUR',
      gross_amount_minor: 11900,
      net_amount_minor: 10000,
      tax_amount_minor: 1900,
      tax_rate_bp: null,
      vendor: null,
      vendor_vat_id: null,
      invoice_number: null,
      payment_method: null,
      business_purpose: null,
      notes: null,
      extra_fields: {},
      receipts: [],
      status: 'draft',
      creator: { type: 'organization', id: world.acme.id },
      revision: 1,
    })
    await world.assertWritten({ events: ['workflow.expense.created'], audit: ['expenses.create'] })
  })

  for (const [fault, fields, param] of [
    ['an unreal date', { expense_date: '2026-02-30' }, 'expense_date'],
    ['a currency that does not exist', { currency: 'ABC' }, 'currency'],
    ['an amount with a fraction', { gross_amount_minor: 1.5 }, 'gross_amount_minor'],
    ['a negative amount', { gross_amount_minor: -1 }, 'gross_amount_minor'],
    ['amounts that do not add up', { net_amount_minor: 1, tax_amount_minor: 1 }, 'gross_amount_minor'],
    ['a tax rate over 1000 %', { tax_rate_bp: 100001 }, 'tax_rate_bp'],
    ['an unknown project', { project: 'prj_none' }, 'project'],
    ['an unknown workspace', { workspace: 'wsp_none' }, 'workspace'],
  ] as const) {
    it(`${fault} is refused by name and writes nothing`, async () => {
      await world.markWritten()
      const reply = await world.post('/v1/expenses', { ...fare(), ...fields })
      assert.deepEqual(
        [reply.status, reply.body.error.code, reply.body.error.param],
        [400, 'invalid_request_body', param],
      )
      await world.assertWritten({ events: [], audit: [] })
    })
  }

  it('a change merges extra_fields key by key and raises the revision once', async () => {
    const expense = await world.make('/v1/expenses', { ...fare(), extra_fields: { cost_center: '7', trip: 1 } })
    const reply = await world.patch(`/v1/expenses/${expense.id}`, { extra_fields: { trip: null, km: 12 }, project })
    assert.deepEqual(reply.body, { ...expense, project, extra_fields: { cost_center: '7', km: 12 }, revision: 2 })
  })

  it('a revision in the body is compared and must agree with If-Match', async () => {
    const { id } = await world.make('/v1/expenses', fare())
    const stale = await world.patch(`/v1/expenses/${id}`, { revision: 2, vendor: 'x' })
    assert.deepEqual([stale.status, stale.body.error.code], [409, 'resource_conflict'])
    const torn = await world.patch(`/v1/expenses/${id}`, { revision: 2, vendor: 'x' }, { headers: { 'if-match': '1' } })
    assert.deepEqual([torn.status, torn.body.error.param], [400, 'revision'])
    const good = await world.patch(
      `/v1/expenses/${id}`,
      { revision: 1, vendor: 'x' },
      { headers: { 'if-match': '"1"' } },
    )
    assert.deepEqual([good.status, good.body.revision], [200, 2])
  })

  it('a deleted draft answers 410', async () => {
    const { id } = await world.make('/v1/expenses', fare())
    await world.markWritten()
    const reply = await world.delete(`/v1/expenses/${id}`)
    assert.deepEqual(reply.body, { id, object: 'expense', deleted: true })
    await world.assertWritten({ events: ['workflow.expense.deleted'], audit: ['expenses.delete'] })
    assert.equal((await world.get(`/v1/expenses/${id}`)).status, 410)
  })

  it('the list is filtered by workspace, project and states', async () => {
    const other = (await world.make('/v1/workspaces', { title: 'Other' })).id
    const a = await world.make('/v1/expenses', { ...fare(), workspace: other })
    const reply = await world.get(`/v1/expenses?workspace=${other}&status=draft&status=submitted`)
    assert.deepEqual(reply.body.data, [a])
    assert.deepEqual((await world.get(`/v1/expenses?workspace=${other}&status=approved`)).body.data, [])
  })

  it('a state that no expense has is refused, with the states there are', async () => {
    for (const status of ['aproved', 'draft,submitted']) {
      const reply = await world.get(`/v1/expenses?status=draft&status=${status}`)
      const { code, param, message } = reply.body.error
      assert.deepEqual([reply.status, code, param], [400, 'invalid_query_parameter', 'status'])
      assert.ok(message.includes(`"${status}"`) && message.includes('submitted, approved'), message)
    }
  })
})
