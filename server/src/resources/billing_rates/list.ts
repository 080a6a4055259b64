import { listOperation } from '../../api/operation.ts'
import { listById } from '../../api/page.ts'
import { idParameter, textParameter } from '../../api/parameters.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { billingRateNoun } from './billing_rate.ts'

/** Lists billing rates, newest first. */
export const listBillingRates = listOperation({
  id: 'billing_rates.list',
  method: 'GET',
  path: '/v1/billing_rates',
  summary: 'List billing rates',
  scope: 'billing:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: billingRateNoun,
  query: {
    workspace: idParameter('Only rates of this workspace.', workspaceNoun),
    scope: textParameter(80, 'Only rates of this scope.'),
  },
  handle(context) {
    const { workspace, scope } = context.query
    return listById(context, billingRateNoun, { where: { workspace, scope } })
  },
})
