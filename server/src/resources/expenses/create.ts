import { writeOperation } from '../../api/declare/operation.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { changeAttachments, requireFiles } from '../files/shared/attachments.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { expenseCreated } from './events.ts'
import { Expense, showExpense } from './expense.ts'
import { changedColumns, createFields, nothing_set, requireValid } from './fields.ts'

/** Creates an expense as a draft. If gross, net and tax are all set, they must add up. */
export const createExpense = writeOperation({
  id: 'expenses.create',
  method: 'POST',
  path: '/v1/expenses',
  summary: 'Create an expense',
  scope: 'billing:write',
  credits: 10,
  body: createFields,
  returns: Expense,
  emits: [expenseCreated],
  example: {
    body: {
      workspace: '{workspace}',
      category: 'Travel',
      expense_date: '2026-08-03',
      currency: 'EUR',
      gross_amount_minor: 11900,
      net_amount_minor: 10000,
      tax_amount_minor: 1900,
    },
  },
  async handle({ body, caller, tx, now, emit }) {
    requireValid(body)
    const fields = changedColumns(nothing_set, body)
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    if (fields.project !== null) await requireUsableProject({ tx, caller }, fields.project, workspace.id)
    await requireFiles({ tx, caller }, workspace.id, body.receipts, 'receipts')
    const row = {
      realm: caller.realm,
      id: newId('exp', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      ...fields,
      status: 'draft',
      creator_type: caller.owner.type,
      creator_id: caller.owner.id,
    }
    tx.insert('expenses', row)
    changeAttachments(tx, row.realm, { object: 'expense', id: row.id }, '[]', row.receipts)
    const expense = showExpense(row)
    emit(expenseCreated, expense)
    return expense
  },
})
