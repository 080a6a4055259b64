import { eventType } from '../../api/declare/event.ts'
import { billingRateNoun } from './billing_rate.ts'

export const billingRateCreated = eventType('workflow.billing_rate.created', billingRateNoun)
export const billingRateUpdated = eventType('workflow.billing_rate.updated', billingRateNoun)
export const billingRateDeleted = eventType('workflow.billing_rate.deleted', billingRateNoun)
