/**
 * The invoice draft: the amounts of a future invoice. draft ⇄ ready → finalized → void; finalized freezes amounts and
 * currency (contract/15#invoice-draft).
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import { Amount, described, head, Id, Nullable, OneOf, Revision, Seconds } from '../../api/declare/shapes.ts'
import type { InvoiceDraftRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'

const invoice_statuses = ['draft', 'ready', 'finalized', 'void'] as const
export type InvoiceStatus = (typeof invoice_statuses)[number]

/** The states that can follow each state. */
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
  workspace: described(Id, 'Workspace of the project.'),
  project: described(Id, 'Project that is invoiced.'),
  status: described(
    InvoiceState,
    'draft ⇄ ready → finalized → void. `finalized` freezes amounts and currency; a draft starts as `draft` or `ready`.',
  ),
  currency: described(InvoiceCurrency, 'ISO 4217 code, such as `EUR`.'),
  net_amount_minor: described(Amount, 'Amount without tax, in minor units such as cents.'),
  tax_amount_minor: described(Amount, 'Tax in minor units.'),
  gross_amount_minor: described(Amount, 'Amount with tax, in minor units; must equal net + tax.'),
  finalized_at: described(Nullable(Seconds), 'When the draft was finalized, in Unix seconds; null before.'),
  voided_at: described(Nullable(Seconds), 'When the draft was voided, in Unix seconds; null before.'),
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
