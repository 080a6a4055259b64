import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { requireRevision } from '../../api/request/conditional.ts'
import { applyChange } from '../../api/write/change.ts'
import { changeAttachments, requireFiles } from '../files/shared/attachments.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { expenseUpdated } from './events.ts'
import { Expense, expenseNoun, showExpense } from './expense.ts'
import { changedColumns, requireValid, updateFields } from './fields.ts'

/** Changes a draft. `If-Match` or `revision` in the body names the revision that the change is based on; both must agree. */
export const updateExpense = writeOperation({
  id: 'expenses.update',
  method: 'PATCH',
  path: '/v1/expenses/{id}',
  summary: 'Update an expense',
  scope: 'billing:write',
  credits: 10,
  target: expenseNoun,
  body: updateFields,
  returns: Expense,
  emits: [expenseUpdated],
  example: { params: { id: '{expense}' }, body: { vendor: 'Deutsche Bahn' } },
  async handle({ target, body, caller, tx, now, emit, precondition }) {
    const { revision, ...sent } = body
    requireValid(sent)
    if (revision !== undefined) {
      if (precondition !== null && 'revisions' in precondition && !precondition.revisions.includes(revision)) {
        throw refuse('invalid_request_body', { param: 'revision', message: 'If-Match and revision disagree.' })
      }
      requireRevision({ revisions: [revision] }, target.revision)
    }
    if (target.status !== 'draft') {
      throw refuse('resource_conflict', { message: `The expense is ${target.status}. Only a draft can be changed.` })
    }
    const fields = changedColumns(target, sent)
    if (fields.project !== null && fields.project !== target.project) {
      await requireUsableProject({ tx, caller }, fields.project, target.workspace)
    }
    await requireFiles({ tx, caller }, target.workspace, sent.receipts, 'receipts', target.receipts)
    const changed = applyChange(tx, 'expenses', target, fields, now)
    if (changed === null) return showExpense(target)
    changeAttachments(tx, target.realm, { object: 'expense', id: target.id }, target.receipts, changed.receipts)
    emit(expenseUpdated, showExpense(changed), showExpense(target))
    return showExpense(changed)
  },
})
