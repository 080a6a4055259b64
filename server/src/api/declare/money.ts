/** Money rules shared by several resources: currencies, sums, dates (contract/01#money). */
import { isCurrency } from '../../lib/currencies.ts'
import { refuse } from './errors.ts'
import { quoted } from './quoted.ts'

/** Refuses a code that is not an ISO 4217 currency. */
export function requireCurrency(code: string | undefined): void {
  if (code === undefined || isCurrency(code)) return
  throw refuse('invalid_request_body', {
    param: 'currency',
    message: `currency cannot be ${quoted(code)}. Use an ISO 4217 code in capitals, such as EUR.`,
  })
}

interface Amounts {
  readonly gross_amount_minor: number
  readonly net_amount_minor: number | null
  readonly tax_amount_minor: number | null
}

/** Refuses amounts that do not add up when all three are known. */
export function requireSum({ gross_amount_minor, net_amount_minor, tax_amount_minor }: Amounts): void {
  if (net_amount_minor === null || tax_amount_minor === null) return
  if (gross_amount_minor - net_amount_minor === tax_amount_minor) return
  throw refuse('invalid_request_body', {
    param: 'gross_amount_minor',
    message: 'gross_amount_minor must be net_amount_minor plus tax_amount_minor.',
  })
}

/** Refuses a date that does not exist. */
export function requireDate(text: string | undefined, param: string): void {
  if (text === undefined) return
  const time = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw refuse('invalid_request_body', {
      param,
      message: `${param} cannot be ${quoted(text)}. Use a calendar date, YYYY-MM-DD.`,
    })
  }
}
