/** The fields that a request may set of an expense, and the rules between them. */
import Type, { type Static } from 'typebox'
import { mergedText } from '../../api/declare/custom-fields.ts'
import { requireCurrency, requireDate, requireSum } from '../../api/declare/money.ts'
import { Amount, CustomFields, described, Id, Nullable, Text, Title } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'
import type { ExpenseRow } from '../../db/schema.ts'
import { Receipts } from '../files/shared/attachments.ts'
import { CalendarDate, Currency, TaxRate } from './expense.ts'

/** May be empty, which unsets the field. */
const Line = Type.String({ maxLength: limits.title_chars_max })

const optional = {
  net_amount_minor: Type.Optional(Nullable(Amount)),
  tax_amount_minor: Type.Optional(Nullable(Amount)),
  tax_rate_bp: Type.Optional(Nullable(TaxRate)),
  vendor: Type.Optional(Nullable(Line)),
  vendor_vat_id: Type.Optional(Nullable(Line)),
  invoice_number: Type.Optional(Nullable(Line)),
  payment_method: Type.Optional(Nullable(Line)),
  business_purpose: Type.Optional(Nullable(Text)),
  project: Type.Optional(Nullable(Id)),
  notes: Type.Optional(Nullable(Text)),
  extra_fields: Type.Optional(CustomFields),
  receipts: Type.Optional(Receipts),
}

export const createFields = {
  workspace: Id,
  category: Title,
  expense_date: CalendarDate,
  currency: Currency,
  gross_amount_minor: Amount,
  ...optional,
}

export const updateFields = {
  category: Type.Optional(Title),
  expense_date: Type.Optional(CalendarDate),
  currency: Type.Optional(Currency),
  gross_amount_minor: Type.Optional(Amount),
  /** The revision that the change is based on, instead of `If-Match`. */
  revision: described(
    Type.Optional(Type.Integer({ minimum: 1, maximum: limits.safe_integer_max })),
    'Revision that the change is based on, instead of `If-Match`; another current revision answers 409.',
  ),
  ...optional,
}

const UpdateFields = Type.Object(updateFields)
export type ExpenseFields = Static<typeof UpdateFields>

const columns = [
  'category',
  'expense_date',
  'currency',
  'gross_amount_minor',
  'net_amount_minor',
  'tax_amount_minor',
  'tax_rate_bp',
  'vendor',
  'vendor_vat_id',
  'invoice_number',
  'payment_method',
  'business_purpose',
  'project',
  'notes',
] as const

type Settable = Pick<ExpenseRow, (typeof columns)[number] | 'extra_fields' | 'receipts'>

/** Refuses an unknown currency and a day that does not exist. */
export function requireValid(sent: ExpenseFields): void {
  requireCurrency(sent.currency)
  requireDate(sent.expense_date, 'expense_date')
}

/** The columns after a valid request; empty texts become null. Refuses amounts that do not add up. */
export function changedColumns(current: Settable, sent: ExpenseFields): Settable {
  const next: Record<string, unknown> = {}
  for (const column of columns) {
    const value = sent[column]
    next[column] = value === undefined ? current[column] : value === '' ? null : value
  }
  next.extra_fields = mergedText(current.extra_fields, sent.extra_fields ?? {}, 'extra_fields')
  next.receipts = sent.receipts === undefined ? current.receipts : JSON.stringify(sent.receipts)
  // Every settable field was copied from the current row or from what was sent.
  const settable = next as Settable
  requireSum(settable)
  return settable
}

export const nothing_set: Settable = {
  category: '',
  expense_date: '',
  currency: '',
  gross_amount_minor: 0,
  net_amount_minor: null,
  tax_amount_minor: null,
  tax_rate_bp: null,
  vendor: null,
  vendor_vat_id: null,
  invoice_number: null,
  payment_method: null,
  business_purpose: null,
  project: null,
  notes: null,
  extra_fields: '{}',
  receipts: '[]',
}
