import Type from 'typebox'
import { OneOf } from '../../api/declare/shapes.ts'
import { requireLive } from '../../api/request/target.ts'
import { expenseNoun } from '../../resources/expenses/expense.ts'
import { setExpense } from '../../resources/expenses/write.ts'
import { authorOf } from '../author.ts'
import { endpoint } from '../endpoint.ts'
import { body, ModeText } from '../fields.ts'
import { callerOfSession, requireRole } from '../sessions/session.ts'

/** Members submit and withdraw expenses; approving, rejecting and reimbursing take an admin or owner. */
const member_statuses: ReadonlySet<string> = new Set(['draft', 'submitted'])

export const setExpenseStatus = endpoint('POST expenses/{id}/status', {
  needs: 'session',
  body: body({
    mode: Type.Optional(ModeText),
    status: OneOf('draft', 'submitted', 'approved', 'rejected', 'reimbursed'),
  }),
  async handle(context) {
    const { services, session, params, body: sent } = context
    if (!member_statuses.has(sent.status)) requireRole(session, 'admin')
    const caller = callerOfSession(session, sent.mode ?? 'live')
    const { id } = await requireLive(expenseNoun, services.store.reader(caller.storeScope), caller, params.id ?? '')
    return await setExpense(services, id, sent.status, authorOf(context, session.user))
  },
})
