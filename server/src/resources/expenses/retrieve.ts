import { readOperation } from '../../api/declare/operation.ts'
import { Expense, expenseNoun, showExpense } from './expense.ts'

/** Shows an expense. */
export const retrieveExpense = readOperation({
  id: 'expenses.retrieve',
  method: 'GET',
  path: '/v1/expenses/{id}',
  summary: 'Retrieve an expense',
  scope: 'billing:read',
  credits: 1,
  target: expenseNoun,
  returns: Expense,
  example: { params: { id: '{expense}' } },
  handle: ({ target }) => showExpense(target),
})
