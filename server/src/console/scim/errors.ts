/** Errors in the form of SCIM (RFC 7644 §3.12). */

/** `scimType` of errors with status 400 and 409. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

export class ScimError extends Error {
  readonly status: number
  readonly scimType: ScimType | null
  /** Seconds. */
  readonly retryAfter: number | null

  constructor(status: number, detail: string, scimType: ScimType | null = null, retryAfter: number | null = null) {
    super(detail)
    this.status = status
    this.scimType = scimType
    this.retryAfter = retryAfter
    // An ordinary answer, like a refusal of the API.
    Object.defineProperty(this, 'stack', { value: this.message })
  }
}

export function invalidValue(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidValue')
}

/** A value in a message, cut to 80 characters. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\``
}

/** The same for an id of another organization as for one that never existed. */
export function noUser(id: string): ScimError {
  return new ScimError(404, `There is no user ${shown(id)}.`)
}
