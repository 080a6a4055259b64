import type { Workspace } from '@atrium/sdk'
import { useState } from 'react'
import { FormError } from '../../app/error-state.tsx'
import { faultsOf, useWrite } from '../../data/index.ts'
import { Button, DayField, Dialog, Field, Input, TextArea } from '../../design/index.ts'
import { minorOf } from './amounts.ts'
import { dayOf } from './week.ts'

interface Fields {
  readonly category: string
  readonly vendor: string
  readonly expense_date: string
  readonly currency: string
  readonly gross: string
  readonly tax: string
  readonly business_purpose: string
}

interface ExpenseDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

/** Writes an expense down as a draft; what is net follows from gross and tax. */
export function ExpenseDialog({ workspace, onClose }: ExpenseDialogProps) {
  const [fields, setFields] = useState<Fields>({
    category: '',
    vendor: '',
    expense_date: dayOf(new Date()),
    currency: workspace.default_currency ?? 'EUR',
    gross: '',
    tax: '',
    business_purpose: '',
  })
  const put = (change: Partial<Fields>) => setFields({ ...fields, ...change })
  const gross = minorOf(fields.gross, fields.currency)
  const tax = fields.tax.trim() === '' ? null : minorOf(fields.tax, fields.currency)
  const write = useWrite({
    write: (atrium, given: Fields & { gross_minor: number; tax_minor: number | null }) =>
      atrium.expenses.create({
        workspace: workspace.id,
        category: given.category.trim(),
        expense_date: given.expense_date,
        currency: given.currency.trim().toUpperCase(),
        gross_amount_minor: given.gross_minor,
        ...(given.tax_minor === null
          ? {}
          : { tax_amount_minor: given.tax_minor, net_amount_minor: given.gross_minor - given.tax_minor }),
        ...(given.vendor.trim() === '' ? {} : { vendor: given.vendor.trim() }),
        ...(given.business_purpose.trim() === '' ? {} : { business_purpose: given.business_purpose.trim() }),
      }),
    done: () => 'Written down as a draft',
    toastErrors: false,
  })
  const faults = faultsOf(write.error)
  const isReady = fields.category.trim() !== '' && fields.expense_date !== '' && gross !== null
  const send = async () => {
    if (gross === null) return
    if ((await write.run({ ...fields, gross_minor: gross, tax_minor: tax })) !== undefined) onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New expense"
      onSubmit={() => isReady && !write.busy && void send()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={write.busy} disabled={!isReady}>
            Write it down
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Category" error={faults.category} required>
          <Input
            autoFocus
            value={fields.category}
            onChange={({ currentTarget }) => put({ category: currentTarget.value })}
          />
        </Field>
        <Field label="Vendor" error={faults.vendor}>
          <Input value={fields.vendor} onChange={({ currentTarget }) => put({ vendor: currentTarget.value })} />
        </Field>
        <div className="money-amounts">
          <Field label="Date" error={faults.expense_date} required>
            <DayField value={fields.expense_date} onChange={(expense_date) => put({ expense_date })} />
          </Field>
          <Field label="Currency" error={faults.currency} required>
            <Input
              value={fields.currency}
              maxLength={3}
              onChange={({ currentTarget }) => put({ currency: currentTarget.value })}
            />
          </Field>
          <Field
            label="Gross"
            error={
              faults.gross_amount_minor ?? (fields.gross !== '' && gross === null ? 'This is no amount.' : undefined)
            }
            required
          >
            <Input
              inputMode="decimal"
              value={fields.gross}
              onChange={({ currentTarget }) => put({ gross: currentTarget.value })}
            />
          </Field>
          <Field
            label="Tax in it"
            error={faults.tax_amount_minor ?? (fields.tax !== '' && tax === null ? 'This is no amount.' : undefined)}
          >
            <Input
              inputMode="decimal"
              value={fields.tax}
              onChange={({ currentTarget }) => put({ tax: currentTarget.value })}
            />
          </Field>
        </div>
        <Field label="What it was for" error={faults.business_purpose}>
          <TextArea
            value={fields.business_purpose}
            onChange={({ currentTarget }) => put({ business_purpose: currentTarget.value })}
          />
        </Field>
        <FormError
          error={write.error}
          at={[
            'category',
            'vendor',
            'expense_date',
            'currency',
            'gross_amount_minor',
            'tax_amount_minor',
            'business_purpose',
          ]}
        />
      </div>
    </Dialog>
  )
}
