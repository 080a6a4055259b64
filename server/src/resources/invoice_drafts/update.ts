import Type from 'typebox'
import { refuse } from '../../api/declare/errors.ts'
import { requireCurrency, requireSum } from '../../api/declare/money.ts'
import { writeOperation } from '../../api/declare/operation.ts'
import { Amount } from '../../api/declare/shapes.ts'
import { applyChange } from '../../api/write/change.ts'
import type { InvoiceDraftRow } from '../../db/schema.ts'
import { invoiceDraftUpdated } from './events.ts'
import {
  InvoiceCurrency,
  InvoiceDraft,
  InvoiceState,
  type InvoiceStatus,
  invoice_transitions,
  invoiceDraftNoun,
  showInvoiceDraft,
} from './invoice_draft.ts'

const frozen = ['currency', 'net_amount_minor', 'tax_amount_minor', 'gross_amount_minor'] as const

/** Changes amounts or status. The amounts of a finalized or void one cannot change; only a `ready` one can be finalized. */
export const updateInvoiceDraft = writeOperation({
  id: 'invoice_drafts.update',
  method: 'PATCH',
  path: '/v1/invoice_drafts/{id}',
  summary: 'Update an invoice draft',
  scope: 'billing:write',
  credits: 10,
  target: invoiceDraftNoun,
  body: {
    status: Type.Optional(InvoiceState),
    currency: Type.Optional(InvoiceCurrency),
    net_amount_minor: Type.Optional(Amount),
    tax_amount_minor: Type.Optional(Amount),
    gross_amount_minor: Type.Optional(Amount),
  },
  returns: InvoiceDraft,
  emits: [invoiceDraftUpdated],
  example: { params: { id: '{invoice_draft}' }, body: { status: 'ready' } },
  handle({ target, body, tx, now, emit }) {
    requireCurrency(body.currency)
    requireAllowed(target, body)
    requireSum({ ...target, ...body } as InvoiceDraftRow)
    const moved = body.status !== undefined && body.status !== target.status
    const changed = applyChange(
      tx,
      'invoice_drafts',
      target,
      {
        ...body,
        ...(moved && body.status === 'finalized' ? { finalized_at: now } : {}),
        ...(moved && body.status === 'void' ? { voided_at: now } : {}),
      },
      now,
    )
    if (changed !== null) emit(invoiceDraftUpdated, showInvoiceDraft(changed), showInvoiceDraft(target))
    return showInvoiceDraft(changed ?? target)
  },
})

function requireAllowed(draft: InvoiceDraftRow, body: Readonly<Partial<Record<string, unknown>>>): void {
  const status = draft.status as InvoiceStatus
  const next = (body.status ?? status) as InvoiceStatus
  if (next !== status && !invoice_transitions[status].includes(next)) {
    const message = `A ${status} invoice cannot become ${next}.`
    throw refuse('resource_conflict', { param: 'status', message })
  }
  if (status !== 'finalized' && status !== 'void') return
  const touched = frozen.find((field) => body[field] !== undefined && body[field] !== draft[field])
  if (touched === undefined) return
  throw refuse('resource_conflict', {
    param: touched,
    message: `The amounts and currency of a ${status} invoice cannot change.`,
  })
}
