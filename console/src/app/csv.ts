/** Tables as CSV (RFC 4180), for spreadsheets. */

/** A text that begins like a formula is shown as text by spreadsheets. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function saveCsv(title: string, text: string): void {
  const url = URL.createObjectURL(new Blob([`\uFEFF${text}\r\n`], { type: 'text/csv' }))
  const link = document.createElement('a')
  Object.assign(link, { href: url, download: `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.csv` })
  link.click()
  URL.revokeObjectURL(url)
}
