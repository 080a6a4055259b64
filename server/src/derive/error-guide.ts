/** Cause and remedy of each error code, for docs/errors.md, the OpenAPI document, the SDK and the MCP server. */
import { type ErrorCode, errorKinds } from '../api/declare/errors.ts'

export type Retry = 'never' | 'after Retry-After' | 'with back-off'

export interface ErrorAdvice {
  /** What happened, in one sentence. */
  readonly meaning: string
  /** What the caller should do. */
  readonly remedy: string
  /** Whether the same request may be retried. A write keeps its Idempotency-Key. */
  readonly retry: Retry
  /** Example of the parameter that such an error names. */
  readonly param?: string
}

export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  missing_api_key: {
    meaning: 'No credential was sent.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`. No other header and no query parameter is accepted.',
    retry: 'never',
  },
  invalid_api_key: {
    meaning:
      'The API key is malformed, unknown, expired or revoked (the answer does not reveal which), or the URL contains a credential.',
    remedy: 'Check the key, or create a new one. Treat a key that was sent in a URL as leaked: delete it.',
    retry: 'never',
  },
  invalid_access_token: {
    meaning: 'The access token is malformed, unknown, expired or revoked. Tokens expire after one hour.',
    remedy: 'Request a new token.',
    retry: 'never',
  },
  credential_validation_unavailable: {
    meaning: 'The credential cannot be checked at the moment, so the request was not processed.',
    remedy: 'Wait for `Retry-After`, then retry with exponential backoff and jitter.',
    retry: 'after Retry-After',
  },
  plan_required: {
    meaning: "The organization's plan has lapsed.",
    remedy: 'The organization has to renew its plan.',
    retry: 'never',
  },
  insufficient_scope: {
    meaning: 'The credential lacks the scope that the message names.',
    remedy: 'Use a key with that scope. The scopes of a key never change: create a new key.',
    retry: 'never',
  },
  endpoint_disabled: {
    meaning: 'The operator of this installation has switched the operation off. The answer has no `Retry-After`.',
    remedy: 'Do not use the operation, or ask the operator to enable it.',
    retry: 'never',
  },
  rate_limit_exceeded: {
    meaning: 'The credits of a window are used up, or the credential has too many streams open.',
    remedy:
      'Wait for `Retry-After`, then retry with exponential backoff and jitter. `GET /v1/usage` shows the windows.',
    retry: 'after Retry-After',
  },
  rate_limit_unavailable: {
    meaning: 'Credits cannot be charged, or the database is unreachable. Nothing was acknowledged.',
    remedy: 'Wait for `Retry-After`, then retry with exponential backoff and jitter; repeat a write with the same key.',
    retry: 'after Retry-After',
  },
  invalid_query_parameter: {
    meaning:
      'A query parameter is unknown, malformed or names an unknown object, or the `Service-Version` is not supported.',
    remedy: 'Correct the parameter that `param` names.',
    retry: 'never',
    param: 'limit',
  },
  invalid_request_body: {
    meaning: 'The body is invalid: its JSON, its Content-Type, its size, a field, or a reference to an object.',
    remedy: 'Correct the field in `param`; `details` lists all faults if there are several.',
    retry: 'never',
    param: 'title',
  },
  cursor_invalid: {
    meaning: 'The cursor is malformed or belongs to another list.',
    remedy: 'Start again without a cursor.',
    retry: 'never',
    param: 'starting_after',
  },
  cursor_filter_mismatch: {
    meaning: 'The cursor belongs to this list with other filters or another order.',
    remedy: 'Keep all parameters while you page through a list; only `limit` may change.',
    retry: 'never',
    param: 'starting_after',
  },
  resource_not_found: {
    meaning: 'The object does not exist, or it belongs to another organization, realm or workspace.',
    remedy: 'Check the id and the mode of the key (live or test).',
    retry: 'never',
  },
  resource_deleted: {
    meaning: 'The object was deleted.',
    remedy: 'Forget the id; a deleted object is not restored.',
    retry: 'never',
  },
  resource_id_ambiguous: {
    meaning: 'Several boards have this legacy room id.',
    remedy: 'Use the public id of the board.',
    retry: 'never',
  },
  resource_conflict: {
    meaning:
      'The state of the object does not allow the change, its revision is another one, or an equal object exists already.',
    remedy: 'Read the object, decide again, and send the change with a new Idempotency-Key.',
    retry: 'never',
    param: 'If-Match',
  },
  idempotency_key_required: {
    meaning: 'A POST, PATCH or DELETE was sent without an Idempotency-Key.',
    remedy: 'Send one: a new UUID for each change.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  invalid_idempotency_key: {
    meaning: 'The Idempotency-Key does not have 1 to 255 visible ASCII characters, or was sent twice.',
    remedy: 'Send one valid key.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  idempotency_key_reused: {
    meaning: 'The key was used within the last 24 hours with another method, path, query, body or `If-Match`.',
    remedy: 'Use a new key for another request, and find out why the key was used twice.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  idempotency_in_progress: {
    meaning: 'A request with this key is still running.',
    remedy: 'Wait for `Retry-After` and send the same request again: it gets the answer of the first one.',
    retry: 'after Retry-After',
    param: 'Idempotency-Key',
  },
  invalid_webhook_url: {
    meaning:
      'Webhooks cannot be sent to the URL: it must be public HTTPS on port 443 or 8443, without user and fragment.',
    remedy: 'Use another URL.',
    retry: 'never',
    param: 'url',
  },
  webhook_target_unavailable: {
    meaning: 'The URL could not be reached: name lookup, connection or TLS failed, or the answer took too long.',
    remedy: 'Make the receiver reachable, then send the change with a new Idempotency-Key.',
    retry: 'never',
    param: 'url',
  },
  webhook_verification_failed: {
    meaning: 'The URL did not answer the verification with a 2xx status.',
    remedy:
      'Make the receiver answer `platform.webhook_endpoint.verify` with 2xx, then send the change with a new Idempotency-Key.',
    retry: 'never',
    param: 'url',
  },
  internal_error: {
    meaning: 'The server failed. The log of the installation has the cause under the request id.',
    remedy:
      'Retry with the same Idempotency-Key and exponential backoff; if it persists, give the request id to the operator.',
    retry: 'with back-off',
  },
}

/** Credits that an answer with this code costs (contract/04#charges); a replayed one costs nothing. */
export function chargeOf(code: ErrorCode): 0 | 1 {
  const { status } = errorKinds[code]
  return status >= 500 || [401, 402, 403, 429].includes(status) ? 0 : 1
}
