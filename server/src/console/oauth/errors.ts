/** Errors of the OAuth protocol (RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2). */

export type OauthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'

export class OauthError extends Error {
  readonly code: OauthErrorCode

  constructor(code: OauthErrorCode, description: string) {
    super(readable(description))
    this.code = code
    // An ordinary answer, like a refusal of the API.
    Object.defineProperty(this, 'stack', { value: this.message })
  }
}

/** A value in a description, cut to 80 characters. Descriptions have no double quotes. */
export function shown(value: string): string {
  return `\`${value.length > 80 ? `${value.slice(0, 79)}…` : value}\``
}

/** Descriptions are printable ASCII without `"` and `\` (RFC 6749 §4.1.2.1). */
function readable(text: string): string {
  return text.replaceAll('…', '...').replaceAll(/[^ !#-[\]-~]/g, '?')
}
