/** The billing rate: what an hour costs, for a workspace, a project or a person. One a scope and target (decisions §15). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Amount, head, Id, Nullable, OneOf, Revision } from '../../api/shapes.ts'
import type { BillingRateRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const rate_scopes = ['workspace', 'project', 'user'] as const
export const RateScope = OneOf(...rate_scopes)
export const RateCurrency = Type.String({ pattern: '^[A-Z]{3}$' })

export const BillingRate = Type.Object({
  ...head('billing_rate'),
  workspace: Id,
  scope: RateScope,
  target: Nullable(Id),
  currency: RateCurrency,
  amount_minor: Amount,
  revision: Revision,
})

export type BillingRate = Static<typeof BillingRate>

export function showBillingRate(row: BillingRateRow): BillingRate {
  return {
    id: row.id,
    object: 'billing_rate',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    scope: row.scope as BillingRate['scope'],
    target: row.target,
    currency: row.currency,
    amount_minor: row.amount_minor,
    revision: row.revision,
  }
}

export const billingRateNoun = noun({
  object: 'billing_rate',
  prefix: 'rate',
  table: 'billing_rates',
  schema: BillingRate,
  readScope: 'billing:read',
  show: showBillingRate,
})
