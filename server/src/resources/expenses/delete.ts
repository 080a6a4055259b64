import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { changeAttachments } from '../files/shared/attachments.ts'
import { expenseDeleted } from './events.ts'
import { expenseNoun, showExpense } from './expense.ts'

/** Deletes a draft. An expense that was submitted cannot be deleted. */
export const deleteExpense = writeOperation({
  id: 'expenses.delete',
  method: 'DELETE',
  path: '/v1/expenses/{id}',
  summary: 'Delete an expense',
  scope: 'billing:write',
  credits: 10,
  target: expenseNoun,
  returns: Deleted('expense'),
  emits: [expenseDeleted],
  example: { params: { id: '{expense}' } },
  handle({ target, tx, now, emit }) {
    if (target.status !== 'draft') {
      throw refuse('resource_conflict', { message: `The expense is ${target.status}. Only a draft can be deleted.` })
    }
    markDeleted(tx, 'expenses', target, now)
    changeAttachments(tx, target.realm, { object: 'expense', id: target.id }, target.receipts, '[]')
    emit(expenseDeleted, showExpense(target))
    return { id: target.id, object: 'expense', deleted: true }
  },
})
