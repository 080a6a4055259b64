/** Changes the status of expenses, for the operator and the console: the API writes drafts only (contract/15#expense). */

import type { Mode } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { applyChange } from '../../api/write/change.ts'
import { type Author, commitSystemChange } from '../../api/write/system-change.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { ExpenseRow } from '../../db/schema.ts'
import { expenseUpdated } from './events.ts'
import { type Expense, type ExpenseStatus, expense_transitions, expenseNoun, showExpense } from './expense.ts'

/** Joins the realms, because ids are indexed within a realm and an installation has few realms. */
const locate = query((db, p: Placeholder<{ id: string }>) =>
  db
    .selectFrom('realms')
    .innerJoin('expenses', (join) => join.onRef('expenses.realm', '=', 'realms.realm').on('expenses.id', '=', p('id')))
    .select(['realms.organization', 'realms.realm', 'realms.mode']),
)

/**
 * Changes the status of an expense to one that can follow; the current status changes nothing. Without an author, the
 * operator is the actor.
 */
export async function setExpense(
  services: Pick<Services, 'store' | 'clock' | 'committed'>,
  id: string,
  status: ExpenseStatus,
  author?: Author,
): Promise<Expense> {
  const location = await services.store.reader('system').first(locate, { id })
  if (location === undefined) throw refuse('resource_not_found', { param: 'id', message: `There is no expense ${id}.` })
  const { organization, realm, mode } = location
  const about = { organization, realms: [{ realm, mode: mode as Mode }], action: 'expenses.update', ...author }
  return await commitSystemChange(services, about, async ({ tx, now, emit }) => {
    const expense = (await expenseNoun.find(tx, { organization, realm }, id)) as ExpenseRow
    if (expense.deleted_at !== null) {
      throw refuse('resource_deleted', { param: 'id', message: 'This expense was deleted.' })
    }
    const next = expense_transitions[expense.status as ExpenseStatus]
    if (status !== expense.status && !next.includes(status)) {
      const allowed = next.length === 0 ? 'Its status is final.' : `It can become ${next.join(' or ')}.`
      const message = `The expense is ${expense.status} and cannot become ${status}. ${allowed}`
      throw refuse('resource_conflict', { param: 'status', message })
    }
    const changed = applyChange(tx, 'expenses', expense, { status }, now)
    if (changed !== null) emit(expenseUpdated, showExpense(changed), showExpense(expense))
    return showExpense(changed ?? expense)
  })
}
