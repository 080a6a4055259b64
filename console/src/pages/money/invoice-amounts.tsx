/** The amounts of an invoice in a form. The gross amount is net plus tax. */
import { Field, Input } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { amountFault, minorOf, money } from './amounts.ts'

export interface Amounts {
  readonly currency: string
  readonly net: string
  readonly tax: string
}

/** Parameters whose errors are shown at their fields. */
export const amount_params = ['currency', 'net_amount_minor', 'tax_amount_minor'] as const

/** The amounts as the API takes them; `null` if one of them is not an amount. */
export function amountParams({ currency, net, tax }: Amounts) {
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
  const params = amountParams(value)
  const { net, tax, currency } = value
  return (
    <div className="money-amounts">
      <Field label={t('Net')} error={faults.net_amount_minor ?? amountFault(net, currency)} required>
        <Input
          inputMode="decimal"
          value={net}
          onChange={({ currentTarget }) => onChange({ ...value, net: currentTarget.value })}
        />
      </Field>
      <Field label={t('Tax')} error={faults.tax_amount_minor ?? amountFault(tax, currency)}>
        <Input
          inputMode="decimal"
          value={tax}
          onChange={({ currentTarget }) => onChange({ ...value, tax: currentTarget.value })}
        />
      </Field>
      <Field label={t('Currency')} error={faults.currency} required>
        <Input
          value={currency}
          maxLength={3}
          onChange={({ currentTarget }) => onChange({ ...value, currency: currentTarget.value })}
        />
      </Field>
      <Field label={t('Gross')}>
        <Input readOnly value={params === null ? '' : money(params.gross_amount_minor, params.currency)} />
      </Field>
    </div>
  )
}
