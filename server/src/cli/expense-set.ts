import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Changes the status of an expense: submitted, approved, rejected, reimbursed, or draft again. */
export const expenseSet = command({
  name: 'expense set',
  group: 'Work management',
  summary: 'Submit, approve, reject or reimburse an expense',
  details:
    'The order is draft, submitted, then approved or rejected. An approved one can be reimbursed, a rejected one returned to\n' +
    'draft.',
  argument: { shows: '<id>', does: 'Id of the expense (exp_…).' },
  options: {
    status: {
      shows: '<status>',
      does: 'New status.',
      required: true,
      choices: ['draft', 'submitted', 'approved', 'rejected', 'reimbursed'],
    },
  },
  examples: ['atrium expense set exp_01… --status approved'],
  async run({ status }, id) {
    return await withServices(async (services) => {
      const { setExpense } = await import('../resources/expenses/write.ts')
      const json = await setExpense(services, id, status)
      return { json, text: facts(json) }
    })
  },
})
