/** The billing rate: the price of an hour for a workspace, project or person, one per scope and target (contract/15#billing-rate). */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Amount, described, head, Id, Nullable, OneOf, Revision } from '../../api/declare/shapes.ts'
import type { BillingRateRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const rate_scopes = ['workspace', 'project', 'user'] as const
export const RateScope = OneOf(...rate_scopes)
export const RateCurrency = Type.String({ pattern: '^[A-Z]{3}$' })

export const BillingRate = Type.Object({
  ...head('billing_rate'),
  workspace: described(Id, 'Workspace in which the rate applies.'),
  scope: described(RateScope, 'What the rate applies to: the whole workspace, one project or one user.'),
  target: described(Nullable(Id), 'Id of the project or user; null for the scope `workspace`.'),
  currency: described(RateCurrency, 'ISO 4217 code, such as `EUR`.'),
  amount_minor: described(Amount, 'Price of one hour in minor units, such as cents.'),
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
