/**
 * The expense: money that was spent, in integer minor units. draft → submitted → approved | rejected; a rejected one goes
 * back to draft, an approved one is reimbursed. Only a draft can be changed or deleted (decisions §14, §15).
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/noun.ts'
import { Actor, Amount, CustomFields, head, Id, Nullable, OneOf, Revision, Text, Title } from '../../api/shapes.ts'
import type { ExpenseRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { limits } from '../../lib/limits.ts'

export const expense_statuses = ['draft', 'submitted', 'approved', 'rejected', 'reimbursed'] as const
export type ExpenseStatus = (typeof expense_statuses)[number]

/** Where each state leads. */
export const expense_transitions: Readonly<Record<ExpenseStatus, readonly ExpenseStatus[]>> = {
  draft: ['submitted'],
  submitted: ['approved', 'rejected'],
  approved: ['reimbursed'],
  rejected: ['draft'],
  reimbursed: [],
}

export const Currency = Type.String({ pattern: '^[A-Z]{3}$' })
export const CalendarDate = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' })
export const TaxRate = Type.Integer({ minimum: 0, maximum: limits.tax_rate_bp_max })

export const Expense = Type.Object({
  ...head('expense'),
  workspace: Id,
  project: Nullable(Id),
  category: Title,
  expense_date: CalendarDate,
  currency: Currency,
  gross_amount_minor: Amount,
  net_amount_minor: Nullable(Amount),
  tax_amount_minor: Nullable(Amount),
  tax_rate_bp: Nullable(TaxRate),
  vendor: Nullable(Title),
  vendor_vat_id: Nullable(Title),
  invoice_number: Nullable(Title),
  payment_method: Nullable(Title),
  business_purpose: Nullable(Text),
  notes: Nullable(Text),
  extra_fields: CustomFields,
  status: OneOf(...expense_statuses),
  creator: Actor,
  revision: Revision,
})

export type Expense = Static<typeof Expense>

export function showExpense(row: ExpenseRow): Expense {
  return {
    id: row.id,
    object: 'expense',
    created: seconds(row.created),
    updated: seconds(row.updated),
    workspace: row.workspace,
    project: row.project,
    category: row.category,
    expense_date: row.expense_date,
    currency: row.currency,
    gross_amount_minor: row.gross_amount_minor,
    net_amount_minor: row.net_amount_minor,
    tax_amount_minor: row.tax_amount_minor,
    tax_rate_bp: row.tax_rate_bp,
    vendor: row.vendor,
    vendor_vat_id: row.vendor_vat_id,
    invoice_number: row.invoice_number,
    payment_method: row.payment_method,
    business_purpose: row.business_purpose,
    notes: row.notes,
    extra_fields: JSON.parse(row.extra_fields) as Expense['extra_fields'],
    status: row.status as ExpenseStatus,
    creator: { type: row.creator_type, id: row.creator_id },
    revision: row.revision,
  }
}

export const expenseNoun = noun({
  object: 'expense',
  prefix: 'exp',
  table: 'expenses',
  schema: Expense,
  readScope: 'billing:read',
  show: showExpense,
})
