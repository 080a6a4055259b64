import Type from 'typebox'
import { requireCurrency } from '../../api/declare/money.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Amount, Id, Nullable } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { BillingRate, RateCurrency, RateScope, showBillingRate } from './billing_rate.ts'
import { billingRateCreated } from './events.ts'
import { requireTarget, requireUnique } from './queries.ts'

/** Creates the price of an hour for a workspace, project or user. A second rate for the same scope and target is a conflict. */
export const createBillingRate = writeOperation({
  id: 'billing_rates.create',
  method: 'POST',
  path: '/v1/billing_rates',
  summary: 'Create a billing rate',
  scope: 'billing:write',
  credits: 10,
  body: {
    workspace: Id,
    scope: RateScope,
    currency: RateCurrency,
    amount_minor: Amount,
    target: Type.Optional(Nullable(Id)),
  },
  returns: BillingRate,
  emits: [billingRateCreated],
  example: { body: { workspace: '{workspace}', scope: 'workspace', currency: 'EUR', amount_minor: 9500 } },
  async handle({ body, caller, tx, now, emit }) {
    requireCurrency(body.currency)
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const applies = { workspace: workspace.id, scope: body.scope, target: body.target ?? null }
    await requireTarget({ tx, caller }, applies)
    await requireUnique({ tx, caller }, applies)
    const row = {
      realm: caller.realm,
      id: newId('rate', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      ...applies,
      currency: body.currency,
      amount_minor: body.amount_minor,
    }
    tx.insert('billing_rates', row)
    const rate = showBillingRate(row)
    emit(billingRateCreated, rate)
    return rate
  },
})
