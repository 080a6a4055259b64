/** How results and errors look: for people aligned text, for programs one JSON document. */
import type { Refusal } from '../api/declare/errors.ts'
import type { Outcome } from './command.ts'
import type { OpenedDatabase } from './database-files.ts'

/** A text as a sentence: with a capital first letter and a full stop. */
export function sentence(text: string): string {
  const whole = /[.?!…]$/.test(text) ? text : `${text}.`
  return /^[a-z]+[ ,;:]/.test(whole) ? whole[0]?.toUpperCase() + whole.slice(1) : whole
}

/** Rows of cells as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** An object of the API as a table of its fields; what is not set is left out. */
export function facts(object: object): string {
  return table(
    Object.entries(object)
      .filter(([name, value]) => value !== null && name !== 'object')
      .map(([name, value]) => [name, shown(name, value)]),
  )
}

function shown(name: string, value: unknown): string {
  if (typeof value === 'number' && (name === 'created' || name === 'updated' || name.endsWith('_at')))
    return time(value)
  if (Array.isArray(value)) return value.map((item) => shown('', item)).join(', ') || '(none)'
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Object.values(value)
  // An owner, a domain: a pair of words.
  return parts.length === 2 && parts.every((part) => typeof part === 'string') ? parts.join(' ') : JSON.stringify(value)
}

/** Unix seconds as people read them. */
export function time(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')
}

/** Which database is used, and whether it is a new one. */
export function placeText(place: OpenedDatabase): string {
  if (place.new) return `Created a new installation in ${place.data_dir}, with the database ${place.database}.`
  return `Using the existing database ${place.database} (data folder ${place.data_dir}).`
}

/** A secret that is shown once, and the command that tries it. */
export function secretText(secret: string, url: string): string {
  return [
    'The key is shown only once. Store it in a secret manager:',
    '',
    `    ${secret}`,
    '',
    trialText(secret, url),
  ].join('\n')
}

function trialText(secret: string, url: string): string {
  return ['Try it:', '', `    curl -H 'Authorization: Bearer ${secret}' ${url}/v1/me`].join('\n')
}

/** A secret alone on standard output, so that a script can read it; what it belongs to on standard error. */
export function secretOutcome(credential: { readonly secret: string }, url: string): Outcome {
  const { secret, ...shown } = credential
  const head = 'The secret follows on standard output, only once. Store it in a secret manager.'
  return {
    json: credential,
    text: secret,
    hint: `${facts(shown)}\n\n${head}\n${trialText('$KEY', url).replaceAll("'", '"')}`,
  }
}

/** A link that signs a person in to the console, once. */
export function linkText(url: string): string {
  // Passkeys belong to a host name, and browsers do not open the address that means all addresses.
  const named = url.replace(/^http:\/\/(127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?=[:/])/, 'http://localhost')
  return ['Open this link within 15 minutes to set a password and sign in:', '', `    Set-up link: ${named}`].join('\n')
}

export interface ErrorLine {
  readonly message: string
  readonly param?: string
  /** Of an answer of the API. */
  readonly code?: string
  readonly request_id?: string
}

/** A refusal as one line: all its faults, each with its parameter. */
export function refusalLine(refusal: Refusal): ErrorLine {
  const { param, details } = refusal.options
  const message =
    details !== undefined && details.length > 1
      ? details.map((fault) => `${fault.param}: ${fault.message}`).join(' ')
      : refusal.message
  return { message, ...(param === undefined ? {} : { param }) }
}

/** On standard error: one line, or with `--json` one document. */
export function printError(command: string, error: ErrorLine, json: boolean): void {
  const message = error.message.replaceAll(/\s+/g, ' ').trim()
  const origin = [error.code, error.param, error.request_id].filter((each) => each !== undefined)
  const behind = error.code === undefined ? '' : ` (${origin.join(', ')})`
  const line = json ? JSON.stringify({ error: { ...error, message } }) : `${command}: ${message}${behind}`
  process.stderr.write(`${line}\n`)
}
