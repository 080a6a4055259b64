import Type from 'typebox'
import { requireCurrency } from '../../api/declare/money.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Amount, Id, Nullable } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import { BillingRate, billingRateNoun, RateCurrency, RateScope, showBillingRate } from './billing_rate.ts'
import { billingRateUpdated } from './events.ts'
import { requireTarget, requireUnique } from './queries.ts'

/** Changes a rate. Scope `workspace` clears the target; the other scopes require one. */
export const updateBillingRate = writeOperation({
  id: 'billing_rates.update',
  method: 'PATCH',
  path: '/v1/billing_rates/{id}',
  summary: 'Update a billing rate',
  scope: 'billing:write',
  credits: 10,
  target: billingRateNoun,
  body: {
    scope: Type.Optional(RateScope),
    currency: Type.Optional(RateCurrency),
    amount_minor: Type.Optional(Amount),
    target: Type.Optional(Nullable(Id)),
  },
  returns: BillingRate,
  emits: [billingRateUpdated],
  example: { params: { id: '{billing_rate}' }, body: { amount_minor: 10500 } },
  async handle({ target: rate, body, caller, tx, now, emit }) {
    requireCurrency(body.currency)
    const scope = body.scope ?? rate.scope
    const kept = scope === rate.scope ? rate.target : null
    const applies = { workspace: rate.workspace, scope, target: body.target === undefined ? kept : body.target }
    if (applies.scope !== rate.scope || applies.target !== rate.target) {
      await requireTarget({ tx, caller }, applies)
      await requireUnique({ tx, caller }, applies, rate.id)
    }
    const { currency, amount_minor } = body
    const changed = applyChange(tx, 'billing_rates', rate, { ...applies, currency, amount_minor }, now)
    if (changed !== null) emit(billingRateUpdated, showBillingRate(changed), showBillingRate(rate))
    return showBillingRate(changed ?? rate)
  },
})
