import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { assertRefused } from '../../../test/conformance/answers.ts'
import { onEveryWorld } from '../../../test/world.ts'
import { type Expense, type ExpenseStatus, expense_statuses, expense_transitions } from './expense.ts'
import { setExpense } from './write.ts'

onEveryWorld('the states of an expense', (world) => {
  let workspace: string
  before(async () => {
    workspace = (await world.make('/v1/workspaces', { title: 'Travel' })).id
  })

  const draft = (): Promise<Expense> =>
    world.make('/v1/expenses', {
      ...{ workspace, category: 'Train', expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 1000 },
    })
  const ways: Readonly<Record<ExpenseStatus, readonly ExpenseStatus[]>> = {
    draft: [],
    submitted: ['submitted'],
    approved: ['submitted', 'approved'],
    rejected: ['submitted', 'rejected'],
    reimbursed: ['submitted', 'approved', 'reimbursed'],
  }

  for (const from of expense_statuses) {
    it(`${from} can become ${expense_transitions[from].join(', ') || 'nothing'}; other states are refused`, async () => {
      for (const to of expense_statuses) {
        const { id } = await draft()
        for (const step of ways[from]) await setExpense(world.services, id, step)
        const before = (await world.get(`/v1/expenses/${id}`)).body
        assert.equal(before.status, from)
        await world.markWritten()
        if (to === from) {
          assert.deepEqual(await setExpense(world.services, id, to), before)
          await world.assertWritten({ events: [], audit: [] })
        } else if (expense_transitions[from].includes(to)) {
          const after = await setExpense(world.services, id, to)
          assert.deepEqual(after, { ...before, status: to, revision: before.revision + 1 })
          await world.assertWritten({ events: ['workflow.expense.updated'], audit: ['expenses.update'] })
        } else {
          await assert.rejects(setExpense(world.services, id, to), { code: 'resource_conflict' })
          await world.assertWritten({ events: [], audit: [] })
        }
      }
    })
  }

  it('a day that does not exist is refused as such in every state', async () => {
    const { id } = await draft()
    await setExpense(world.services, id, 'submitted')
    const path = `/v1/expenses/${id}`
    assertRefused(await world.patch(path, { expense_date: '2026-02-30' }), 'invalid_request_body', 'expense_date')
    assertRefused(await world.patch(path, { expense_date: '2026-02-28' }), 'resource_conflict')
  })

  it('an unknown expense and a deleted one are refused', async () => {
    const { id } = await draft()
    await world.delete(`/v1/expenses/${id}`)
    await assert.rejects(setExpense(world.services, id, 'submitted'), { code: 'resource_deleted' })
    await assert.rejects(setExpense(world.services, 'exp_none', 'submitted'), { code: 'resource_not_found' })
  })
})
