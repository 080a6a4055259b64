/** The amounts of an invoice as they are typed: what is gross follows from net and tax. */
import { Field, Input } from '../../design/index.ts'
import { minorOf, money } from './amounts.ts'

export interface Amounts {
  readonly currency: string
  readonly net: string
  readonly tax: string
}

/** The parameters at whose fields a fault stands. */
export const amount_params = ['currency', 'net_amount_minor', 'tax_amount_minor'] as const

/** As the API takes them; `null` where something is no amount. */
export function readAmounts({ currency, net, tax }: Amounts) {
  const code = currency.trim().toUpperCase()
  const net_amount_minor = minorOf(net, code)
  const tax_amount_minor = minorOf(tax.trim() === '' ? '0' : tax, code)
  if (code === '' || net_amount_minor === null || tax_amount_minor === null) return null
  const gross_amount_minor = net_amount_minor + tax_amount_minor
  return { currency: code, net_amount_minor, tax_amount_minor, gross_amount_minor }
}

interface AmountFieldsProps {
  readonly value: Amounts
  readonly onChange: (value: Amounts) => void
  /** By parameter. */
  readonly faults: Readonly<Record<string, string>>
}

export function AmountFields({ value, onChange, faults }: AmountFieldsProps) {
  const read = readAmounts(value)
  const faultOf = (text: string) =>
    text.trim() !== '' && minorOf(text, value.currency) === null ? 'This is no amount.' : undefined
  return (
    <div className="money-amounts">
      <Field label="Net" error={faults.net_amount_minor ?? faultOf(value.net)} required>
        <Input
          inputMode="decimal"
          value={value.net}
          onChange={({ currentTarget }) => onChange({ ...value, net: currentTarget.value })}
        />
      </Field>
      <Field label="Tax" error={faults.tax_amount_minor ?? faultOf(value.tax)}>
        <Input
          inputMode="decimal"
          value={value.tax}
          onChange={({ currentTarget }) => onChange({ ...value, tax: currentTarget.value })}
        />
      </Field>
      <Field label="Currency" error={faults.currency} required>
        <Input
          value={value.currency}
          maxLength={3}
          onChange={({ currentTarget }) => onChange({ ...value, currency: currentTarget.value })}
        />
      </Field>
      <Field label="Gross">
        <Input readOnly value={read === null ? '' : money(read.gross_amount_minor, read.currency)} />
      </Field>
    </div>
  )
}
