/** The fields of an expense in a form. The net amount is gross minus tax. */
import type { Expense, Workspace } from '@atrium/sdk'
import { DayField, Field, Input, TextArea } from '../../design/index.ts'
import { today } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'
import { amountFault, amountText, minorOf } from './amounts.ts'

export interface ExpenseTexts {
  readonly category: string
  readonly vendor: string
  readonly expense_date: string
  readonly currency: string
  readonly gross: string
  readonly tax: string
  readonly business_purpose: string
}

/** Parameters whose errors are shown at their fields. */
export const expense_params = [
  ...['category', 'vendor', 'expense_date', 'currency'],
  ...['gross_amount_minor', 'tax_amount_minor', 'business_purpose'],
]

export function newExpense({ default_currency }: Workspace): ExpenseTexts {
  return {
    ...{ category: '', vendor: '', expense_date: today(), currency: default_currency ?? 'EUR' },
    ...{ gross: '', tax: '', business_purpose: '' },
  }
}

export function textsOf(expense: Expense): ExpenseTexts {
  const { category, vendor, expense_date, currency, gross_amount_minor, tax_amount_minor, business_purpose } = expense
  return {
    ...{ category, vendor: vendor ?? '', expense_date, currency },
    gross: amountText(gross_amount_minor, currency),
    tax: amountText(tax_amount_minor, currency),
    business_purpose: business_purpose ?? '',
  }
}

/** The fields as the API takes them; `null` if one is missing or is not what it has to be. */
export function expenseParams(texts: ExpenseTexts) {
  const [category, vendor, purpose, currency] = [
    texts.category,
    texts.vendor,
    texts.business_purpose,
    texts.currency.toUpperCase(),
  ].map((text) => text.trim())
  const gross = minorOf(texts.gross, texts.currency)
  if (!category || !currency || texts.expense_date === '' || gross === null || taxFault(texts) !== undefined)
    return null
  const tax = minorOf(texts.tax, texts.currency)
  return {
    ...{ category, expense_date: texts.expense_date, currency, gross_amount_minor: gross },
    ...{ tax_amount_minor: tax, net_amount_minor: tax === null ? null : gross - tax },
    ...{ vendor: vendor || null, business_purpose: purpose || null },
  }
}

export type ExpenseParams = NonNullable<ReturnType<typeof expenseParams>>

function taxFault({ gross, tax, currency }: ExpenseTexts): string | undefined {
  const [whole, part] = [minorOf(gross, currency), minorOf(tax, currency)]
  if (whole !== null && part !== null && part > whole) return t('The tax is more than the gross amount.')
  return amountFault(tax, currency)
}

interface ExpenseFieldsProps {
  readonly texts: ExpenseTexts
  readonly onChange: (texts: ExpenseTexts) => void
  /** By parameter. */
  readonly faults: Readonly<Record<string, string>>
}

export function ExpenseFields({ texts, onChange, faults }: ExpenseFieldsProps) {
  const put = (change: Partial<ExpenseTexts>) => onChange({ ...texts, ...change })
  return (
    <>
      <Field label={t('Category')} error={faults.category} required>
        <Input
          autoFocus
          value={texts.category}
          onChange={({ currentTarget }) => put({ category: currentTarget.value })}
        />
      </Field>
      <Field label={t('Vendor')} error={faults.vendor}>
        <Input value={texts.vendor} onChange={({ currentTarget }) => put({ vendor: currentTarget.value })} />
      </Field>
      <AmountFields texts={texts} put={put} faults={faults} />
      <Field label={t('Business purpose')} error={faults.business_purpose}>
        <TextArea
          value={texts.business_purpose}
          onChange={({ currentTarget }) => put({ business_purpose: currentTarget.value })}
        />
      </Field>
    </>
  )
}

interface AmountFieldsProps extends Pick<ExpenseFieldsProps, 'texts' | 'faults'> {
  readonly put: (change: Partial<ExpenseTexts>) => void
}

function AmountFields({ texts, put, faults }: AmountFieldsProps) {
  const { expense_date, currency, gross, tax } = texts
  return (
    <div className="money-amounts">
      <Field label={t('Date')} error={faults.expense_date} required>
        <DayField value={expense_date} onChange={(day) => put({ expense_date: day })} />
      </Field>
      <Field label={t('Currency')} error={faults.currency} required>
        <Input
          value={currency}
          maxLength={3}
          onChange={({ currentTarget }) => put({ currency: currentTarget.value })}
        />
      </Field>
      <Field label={t('Gross')} error={faults.gross_amount_minor ?? amountFault(gross, currency)} required>
        <Input
          inputMode="decimal"
          value={gross}
          onChange={({ currentTarget }) => put({ gross: currentTarget.value })}
        />
      </Field>
      <Field label={t('Tax included')} error={faults.tax_amount_minor ?? taxFault(texts)}>
        <Input inputMode="decimal" value={tax} onChange={({ currentTarget }) => put({ tax: currentTarget.value })} />
      </Field>
    </div>
  )
}
