/** Amounts of money. The API counts minor units, and a currency decides how many of them make one major unit. */
import { formatLanguage } from '../../design/time-format.ts'
import { t } from '../../language/index.ts'

function digitsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat(formatLanguage(), { style: 'currency', currency }).resolvedOptions()
    return format.maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** `1234` of `EUR` is `€12.34`. */
export function money(minor: number | null, currency: string): string {
  if (minor === null) return '—'
  const digits = digitsOf(currency)
  try {
    return new Intl.NumberFormat(formatLanguage(), { style: 'currency', currency }).format(minor / 10 ** digits)
  } catch {
    return `${(minor / 10 ** digits).toFixed(digits)} ${currency}`
  }
}

/** Parses a typed amount into minor units; `null` if it is not an amount. */
export function minorOf(text: string, currency: string): number | null {
  const plain = text.trim().replace(',', '.')
  if (!/^\d{1,12}(\.\d+)?$/.test(plain)) return null
  const digits = digitsOf(currency)
  const [, fraction = ''] = plain.split('.')
  return fraction.length > digits ? null : Math.round(Number(plain) * 10 ** digits)
}

/** Minor units as text for an input. */
export function amountText(minor: number | null, currency: string): string {
  const digits = digitsOf(currency)
  return minor === null ? '' : (minor / 10 ** digits).toFixed(digits)
}

/** What is wrong with a typed amount. */
export function amountFault(text: string, currency: string): string | undefined {
  return text.trim() !== '' && minorOf(text, currency) === null ? t('Enter an amount such as 12.40.') : undefined
}
