import { refuse } from '../../api/declare/errors.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Deleted } from '../../api/declare/shapes.ts'
import { markDeleted } from '../../api/write/change.ts'
import { invoiceDraftDeleted } from './events.ts'
import { invoiceDraftNoun, showInvoiceDraft } from './invoice_draft.ts'

/** Deletes an invoice draft. A finalized one cannot be deleted. */
export const deleteInvoiceDraft = writeOperation({
  id: 'invoice_drafts.delete',
  method: 'DELETE',
  path: '/v1/invoice_drafts/{id}',
  summary: 'Delete an invoice draft',
  scope: 'billing:write',
  credits: 10,
  target: invoiceDraftNoun,
  returns: Deleted('invoice_draft'),
  emits: [invoiceDraftDeleted],
  example: { params: { id: '{invoice_draft}' } },
  handle({ target, tx, now, emit }) {
    if (target.status === 'finalized') {
      throw refuse('resource_conflict', { message: 'A finalized invoice cannot be deleted. Void it instead.' })
    }
    markDeleted(tx, 'invoice_drafts', target, now)
    emit(invoiceDraftDeleted, showInvoiceDraft(target))
    return { id: target.id, object: 'invoice_draft', deleted: true }
  },
})
