import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { billingRateNoun, showBillingRate } from './billing_rate.ts'
import { billingRateDeleted } from './events.ts'

/** Deletes a rate. A new one for the same scope and target can then be created. */
export const deleteBillingRate = writeOperation({
  id: 'billing_rates.delete',
  method: 'DELETE',
  path: '/v1/billing_rates/{id}',
  summary: 'Delete a billing rate',
  scope: 'billing:write',
  credits: 10,
  target: billingRateNoun,
  returns: Deleted('billing_rate'),
  emits: [billingRateDeleted],
  example: { params: { id: '{billing_rate}' } },
  handle({ target, tx, now, emit }) {
    markDeleted(tx, 'billing_rates', target, now)
    emit(billingRateDeleted, showBillingRate(target))
    return { id: target.id, object: 'billing_rate', deleted: true }
  },
})
