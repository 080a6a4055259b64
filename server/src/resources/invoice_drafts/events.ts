import { eventType } from '../../api/declare/event.ts'
import { invoiceDraftNoun } from './invoice_draft.ts'

export const invoiceDraftCreated = eventType('workflow.invoice_draft.created', invoiceDraftNoun)
export const invoiceDraftUpdated = eventType('workflow.invoice_draft.updated', invoiceDraftNoun)
export const invoiceDraftDeleted = eventType('workflow.invoice_draft.deleted', invoiceDraftNoun)
