import { command } from './command.ts'
import { withServices } from './open.ts'
import { facts } from './print.ts'

/** Moves an expense on: submitted, approved, rejected, reimbursed, or back to draft. */
export const expenseSet = command({
  name: 'expense set',
  group: 'Work management',
  summary: 'Submit, approve, reject or reimburse an expense',
  details: 'draft leads to submitted, that to approved or rejected, approved to reimbursed, rejected to draft.',
  argument: { shows: '<id>', does: 'the expense (exp_…)' },
  options: {
    status: {
      shows: '<status>',
      does: 'the new state',
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
