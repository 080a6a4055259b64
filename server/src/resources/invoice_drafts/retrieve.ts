import { readOperation } from '../../api/declare/operation.ts'
import { InvoiceDraft, invoiceDraftNoun, showInvoiceDraft } from './invoice_draft.ts'

/** Shows an invoice draft. */
export const retrieveInvoiceDraft = readOperation({
  id: 'invoice_drafts.retrieve',
  method: 'GET',
  path: '/v1/invoice_drafts/{id}',
  summary: 'Retrieve an invoice draft',
  scope: 'billing:read',
  credits: 1,
  target: invoiceDraftNoun,
  returns: InvoiceDraft,
  example: { params: { id: '{invoice_draft}' } },
  handle: ({ target }) => showInvoiceDraft(target),
})
