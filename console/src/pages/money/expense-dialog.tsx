import type { Atrium, Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormDialog } from '../../app/form-dialog.tsx'
import { fieldErrors, useWrite } from '../../data/index.ts'
import { DayField, Field, Input, TextArea } from '../../design/index.ts'
import { today } from '../../design/wall-time.ts'
import { t } from '../../language/index.ts'
import { amountFault, minorOf } from './amounts.ts'

interface Fields {
  readonly category: string
  readonly vendor: string
  readonly expense_date: string
  readonly currency: string
  readonly gross: string
  readonly tax: string
  readonly business_purpose: string
}

type ExpenseParams = Parameters<Atrium['expenses']['create']>[0]

/** The fields as the API takes them, or `null` if something is missing. The net amount is gross minus tax. */
function paramsOf(workspace: string, fields: Fields): ExpenseParams | null {
  const gross = minorOf(fields.gross, fields.currency)
  const tax = fields.tax.trim() === '' ? null : minorOf(fields.tax, fields.currency)
  const [category, vendor, purpose] = [fields.category, fields.vendor, fields.business_purpose].map((text) =>
    text.trim(),
  )
  if (!category || fields.expense_date === '' || gross === null) return null
  return {
    workspace,
    category,
    expense_date: fields.expense_date,
    currency: fields.currency.trim().toUpperCase(),
    gross_amount_minor: gross,
    ...(tax !== null && { tax_amount_minor: tax, net_amount_minor: gross - tax }),
    ...(vendor && { vendor }),
    ...(purpose && { business_purpose: purpose }),
  }
}

const params_at_fields = [
  ...['category', 'vendor', 'expense_date', 'currency'],
  ...['gross_amount_minor', 'tax_amount_minor', 'business_purpose'],
]

interface ExpenseDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

/** Creates an expense as a draft. */
export function ExpenseDialog({ workspace, onClose }: ExpenseDialogProps) {
  const [fields, setFields] = useState<Fields>({
    category: '',
    vendor: '',
    expense_date: today(),
    currency: workspace.default_currency ?? 'EUR',
    gross: '',
    tax: '',
    business_purpose: '',
  })
  const params = paramsOf(workspace.id, fields)
  const write = useWrite({
    write: (atrium, given: ExpenseParams) => atrium.expenses.create(given),
    done: () => t('Expense created as a draft'),
    toastErrors: false,
  })
  const create = async () => {
    if (params !== null && (await write.run(params)) !== undefined) onClose()
  }
  return (
    <FormDialog
      title={t('New expense')}
      action={t('Create')}
      isReady={params !== null}
      write={write}
      fields={params_at_fields}
      onSubmit={create}
      onClose={onClose}
    >
      <ExpenseFields
        fields={fields}
        put={(change) => setFields({ ...fields, ...change })}
        faults={fieldErrors(write.error)}
      />
    </FormDialog>
  )
}

interface ExpenseFieldsProps {
  readonly fields: Fields
  readonly put: (change: Partial<Fields>) => void
  readonly faults: Readonly<Record<string, string>>
}

function ExpenseFields({ fields, put, faults }: ExpenseFieldsProps) {
  return (
    <>
      <Field label={t('Category')} error={faults.category} required>
        <Input
          autoFocus
          value={fields.category}
          onChange={({ currentTarget }) => put({ category: currentTarget.value })}
        />
      </Field>
      <Field label={t('Vendor')} error={faults.vendor}>
        <Input value={fields.vendor} onChange={({ currentTarget }) => put({ vendor: currentTarget.value })} />
      </Field>
      <AmountFields fields={fields} put={put} faults={faults} />
      <Field label={t('Business purpose')} error={faults.business_purpose}>
        <TextArea
          value={fields.business_purpose}
          onChange={({ currentTarget }) => put({ business_purpose: currentTarget.value })}
        />
      </Field>
    </>
  )
}

function AmountFields({ fields, put, faults }: ExpenseFieldsProps) {
  const { expense_date, currency, gross, tax } = fields
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
      <Field label={t('Tax included')} error={faults.tax_amount_minor ?? amountFault(tax, currency)}>
        <Input inputMode="decimal" value={tax} onChange={({ currentTarget }) => put({ tax: currentTarget.value })} />
      </Field>
    </div>
  )
}
