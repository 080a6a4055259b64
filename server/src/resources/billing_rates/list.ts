import { listOperation } from '../../api/declare/operation.ts'
import { idParameter, wordParameter } from '../../api/declare/parameters.ts'
import { listById } from '../../api/request/page.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { billingRateNoun, rate_scopes } from './billing_rate.ts'

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
    scope: wordParameter(rate_scopes, 'Only rates of this scope.'),
  },
  handle(context) {
    const { workspace, scope } = context.query
    return listById(context, billingRateNoun, { where: { workspace, scope } })
  },
})
