/**
 * The expense: money spent, in integer minor units. draft → submitted → approved | rejected; rejected → draft; approved →
 * reimbursed. Only a draft can be changed or deleted (contract/15#expense).
 */
import Type, { type Static } from 'typebox'
import { noun } from '../../api/declare/noun.ts'
import {
  Actor,
  Amount,
  CustomFields,
  described,
  head,
  Id,
  Nullable,
  OneOf,
  Revision,
  Text,
  Title,
} from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { ExpenseRow } from '../../db/schema.ts'
import { seconds } from '../../lib/clock.ts'
import { Receipts } from '../files/shared/attachments.ts'

export const expense_statuses = ['draft', 'submitted', 'approved', 'rejected', 'reimbursed'] as const
export type ExpenseStatus = (typeof expense_statuses)[number]

/** The states that can follow each state. */
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
  workspace: described(Id, 'Workspace of the expense.'),
  project: described(Nullable(Id), 'Project that the expense belongs to; null for none.'),
  category: described(Title, 'Category, such as `Travel`.'),
  expense_date: described(CalendarDate, 'Day of the expense as `YYYY-MM-DD`.'),
  currency: described(Currency, 'ISO 4217 code, such as `EUR`.'),
  gross_amount_minor: described(Amount, 'Amount with tax, in minor units such as cents.'),
  net_amount_minor: described(
    Nullable(Amount),
    'Amount without tax, in minor units; null if unknown. Gross = net + tax when all three are set.',
  ),
  tax_amount_minor: described(Nullable(Amount), 'Tax in minor units; null if unknown.'),
  tax_rate_bp: described(Nullable(TaxRate), 'Tax rate in basis points: 1900 is 19 %; null if unknown.'),
  vendor: described(Nullable(Title), 'Who was paid; null if unset.'),
  vendor_vat_id: described(Nullable(Title), 'VAT number of the vendor; null if unset.'),
  invoice_number: described(Nullable(Title), 'Invoice number of the vendor; null if unset.'),
  payment_method: described(Nullable(Title), 'How it was paid; null if unset.'),
  business_purpose: described(Nullable(Text), 'Why the money was spent; null if unset.'),
  notes: described(Nullable(Text), 'Free text; null if unset.'),
  extra_fields: described(
    CustomFields,
    'Your own fields: names of 1 to 40 characters (`a-z`, `0-9`, `_`) with plain values. A sent `null` removes a key.',
  ),
  receipts: Receipts,
  status: described(
    OneOf(...expense_statuses),
    'Only a `draft` can be changed or deleted. Status changes are made by the operator or in the console.',
  ),
  creator: described(Actor, 'Who created the expense.'),
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
    receipts: JSON.parse(row.receipts) as string[],
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
