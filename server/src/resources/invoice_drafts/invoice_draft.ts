/**
 * The invoice draft: the amounts that an invoice shall have. draft ⇄ ready → finalized → void; finalized freezes amounts
 * and currency (decisions §14, §15).
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Amount, head, Id, Nullable, OneOf, Revision, Seconds } from '../../api/shapes.ts'
import type { InvoiceDraftRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

export const invoice_statuses = ['draft', 'ready', 'finalized', 'void'] as const
export type InvoiceStatus = (typeof invoice_statuses)[number]

/** Where each state leads. */
export const invoice_transitions: Readonly<Record<InvoiceStatus, readonly InvoiceStatus[]>> = {
  draft: ['ready'],
  ready: ['draft', 'finalized'],
  finalized: ['void'],
  void: [],
}

export const InvoiceState = OneOf(...invoice_statuses)
export const InvoiceCurrency = Type.String({ pattern: '^[A-Z]{3}$' })

export const InvoiceDraft = Type.Object({
  ...head('invoice_draft'),
  workspace: Id,
  project: Id,
  status: InvoiceState,
  currency: InvoiceCurrency,
  net_amount_minor: Amount,
  tax_amount_minor: Amount,
  gross_amount_minor: Amount,
  finalized_at: Nullable(Seconds),
  voided_at: Nullable(Seconds),
  revision: Revision,
})

export type InvoiceDraft = Static<typeof InvoiceDraft>

export function showInvoiceDraft(row: InvoiceDraftRow): InvoiceDraft {
  return {
    id: row.id,
    object: 'invoice_draft',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    status: row.status as InvoiceStatus,
    currency: row.currency,
    net_amount_minor: row.net_amount_minor,
    tax_amount_minor: row.tax_amount_minor,
    gross_amount_minor: row.gross_amount_minor,
    finalized_at: row.finalized_at === null ? null : seconds(row.finalized_at),
    voided_at: row.voided_at === null ? null : seconds(row.voided_at),
    revision: row.revision,
  }
}

export const invoiceDraftNoun = noun({
  object: 'invoice_draft',
  prefix: 'inv',
  table: 'invoice_drafts',
  schema: InvoiceDraft,
  readScope: 'billing:read',
  show: showInvoiceDraft,
})
