/** Errors in the form of SCIM (RFC 7644 §3.12). */
import { quoted } from '../../api/declare/quoted.ts'

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

/** The same for an id of another organization as for one that never existed. */
export function noUser(id: string): ScimError {
  return new ScimError(404, `There is no user ${quoted(id)}.`)
}
