import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { requireCurrency, requireSum } from '../../api/declare/money.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Amount, Id } from '../../api/declare/shapes.ts'
import { findReference } from '../../api/request/references.ts'
import { newId } from '../../lib/ids.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { invoiceDraftCreated } from './events.ts'
import { InvoiceCurrency, InvoiceDraft, InvoiceState, showInvoiceDraft } from './invoice_draft.ts'

/** Creates an invoice draft whose amounts add up, as `draft` (the default) or `ready`. */
export const createInvoiceDraft = writeOperation({
  id: 'invoice_drafts.create',
  method: 'POST',
  path: '/v1/invoice_drafts',
  summary: 'Create an invoice draft',
  scope: 'billing:write',
  credits: 10,
  body: {
    workspace: Id,
    project: Id,
    currency: InvoiceCurrency,
    net_amount_minor: Amount,
    tax_amount_minor: Amount,
    gross_amount_minor: Amount,
    status: Type.Optional(InvoiceState),
  },
  returns: InvoiceDraft,
  emits: [invoiceDraftCreated],
  example: {
    body: {
      workspace: '{workspace}',
      project: '{project}',
      currency: 'EUR',
      net_amount_minor: 10000,
      tax_amount_minor: 1900,
      gross_amount_minor: 11900,
    },
  },
  async handle({ body, caller, tx, now, emit }) {
    requireCurrency(body.currency)
    requireSum(body)
    const status = body.status ?? 'draft'
    if (status !== 'draft' && status !== 'ready') {
      throw refuse('invalid_request_body', {
        param: 'status',
        message: 'status of a new invoice draft must be draft or ready.',
      })
    }
    const workspace = await findReference(workspaceNoun, { tx, caller }, body.workspace, 'workspace')
    const project = await requireUsableProject({ tx, caller }, body.project, workspace.id)
    const row = {
      realm: caller.realm,
      id: newId('inv', now),
      created: now,
      updated: now,
      revision: 1,
      deleted_at: null,
      workspace: workspace.id,
      project: project.id,
      status,
      currency: body.currency,
      net_amount_minor: body.net_amount_minor,
      tax_amount_minor: body.tax_amount_minor,
      gross_amount_minor: body.gross_amount_minor,
      finalized_at: null,
      voided_at: null,
    }
    tx.insert('invoice_drafts', row)
    const draft = showInvoiceDraft(row)
    emit(invoiceDraftCreated, draft)
    return draft
  },
})
