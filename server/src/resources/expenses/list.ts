import { listOperation } from '../../api/declare/operation.ts'
import { idParameter, wordListParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { projectNoun } from '../projects/project.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { expense_statuses, expenseNoun } from './expense.ts'

/** Lists expenses, newest first. */
export const listExpenses = listOperation({
  id: 'expenses.list',
  method: 'GET',
  path: '/v1/expenses',
  summary: 'List expenses',
  scope: 'billing:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: expenseNoun,
  query: {
    workspace: idParameter('Only expenses of this workspace.', workspaceNoun),
    project: idParameter('Only expenses of this project.', projectNoun),
    status: wordListParameter(expense_statuses, 'Only expenses in one of these states.'),
  },
  handle(context) {
    const { workspace, project, status } = context.query
    return listById(context, expenseNoun, { where: { workspace, project, status } })
  },
})
