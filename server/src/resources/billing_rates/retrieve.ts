import { readOperation } from '../../api/declare/operation.ts'
import { BillingRate, billingRateNoun, showBillingRate } from './billing_rate.ts'

/** Shows one billing rate. */
export const retrieveBillingRate = readOperation({
  id: 'billing_rates.retrieve',
  method: 'GET',
  path: '/v1/billing_rates/{id}',
  summary: 'Retrieve a billing rate',
  scope: 'billing:read',
  credits: 1,
  target: billingRateNoun,
  returns: BillingRate,
  example: { params: { id: '{billing_rate}' } },
  handle: ({ target }) => showBillingRate(target),
})
