/** Money as people write it: amounts are kept in minor units, of which currencies have different many. */

function digitsOf(currency: string): number {
  try {
    const shown = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    return shown.maximumFractionDigits ?? 2
  } catch {
    return 2
  }
}

/** `1234` of `EUR` is `€12.34`. */
export function money(minor: number | null, currency: string): string {
  if (minor === null) return '—'
  const digits = digitsOf(currency)
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(minor / 10 ** digits)
  } catch {
    return `${(minor / 10 ** digits).toFixed(digits)} ${currency}`
  }
}

/** What was typed as minor units; `null` when it is no amount. */
export function minorOf(text: string, currency: string): number | null {
  const plain = text.trim().replace(',', '.')
  if (!/^\d{1,12}(\.\d+)?$/.test(plain)) return null
  const digits = digitsOf(currency)
  const [, fraction = ''] = plain.split('.')
  return fraction.length > digits ? null : Math.round(Number(plain) * 10 ** digits)
}

/** Minor units as they are typed. */
export function typed(minor: number | null, currency: string): string {
  const digits = digitsOf(currency)
  return minor === null ? '' : (minor / 10 ** digits).toFixed(digits)
}
