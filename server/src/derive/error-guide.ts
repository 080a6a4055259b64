/** What an integrator does about each error code: written once for the error page and the OpenAPI document. */
import { type ErrorCode, errorKinds } from '../api/errors.ts'

export type Retry = 'never' | 'after Retry-After' | 'with back-off'

export interface ErrorAdvice {
  /** What has happened, in a sentence. */
  readonly meaning: string
  /** What to do about it. */
  readonly remedy: string
  /** Whether the same request may be sent again. A write keeps its Idempotency-Key. */
  readonly retry: Retry
  /** The parameter that such an error names, as an example. */
  readonly param?: string
}

export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  missing_api_key: {
    meaning: 'No credential was sent.',
    remedy: 'Send `Authorization: Bearer <API_KEY>`; no other place is looked at.',
    retry: 'never',
  },
  invalid_api_key: {
    meaning:
      'The API key is malformed, unknown, expired or revoked (which one is not told), or a credential stands in the URL.',
    remedy: 'Check the key, or make a new one. Take a key that stood in a URL for leaked: delete it.',
    retry: 'never',
  },
  invalid_access_token: {
    meaning: 'The access token is malformed, unknown, expired or revoked. Tokens live one hour.',
    remedy: 'Get a new token.',
    retry: 'never',
  },
  credential_validation_unavailable: {
    meaning: 'The credential cannot be checked at the moment, so nothing is let through.',
    remedy: 'Wait for `Retry-After`, then back off exponentially with jitter.',
    retry: 'after Retry-After',
  },
  plan_required: {
    meaning: "The organization's plan has lapsed.",
    remedy: 'The organization has to renew its plan.',
    retry: 'never',
  },
  insufficient_scope: {
    meaning: 'The credential lacks the scope that the message names.',
    remedy: 'Use a key with that scope. Scopes of a key never change: make a new one.',
    retry: 'never',
  },
  endpoint_disabled: {
    meaning: 'The operator of this installation switched the operation off. There is no `Retry-After`.',
    remedy: 'Do without it, or ask the operator.',
    retry: 'never',
  },
  rate_limit_exceeded: {
    meaning: 'The credits of a window are used up, or the credential has too many streams open.',
    remedy: 'Wait for `Retry-After`, then back off exponentially with jitter. `GET /v1/usage` shows the windows.',
    retry: 'after Retry-After',
  },
  rate_limit_unavailable: {
    meaning: 'The request cannot be accounted for, or the store cannot be reached. Nothing was acknowledged.',
    remedy: 'Wait for `Retry-After`, then back off exponentially with jitter; repeat a write with the same key.',
    retry: 'after Retry-After',
  },
  invalid_query_parameter: {
    meaning: 'A query parameter is unknown, malformed or names nothing, or the `Service-Version` is not one.',
    remedy: 'Correct the parameter that `param` names.',
    retry: 'never',
    param: 'limit',
  },
  invalid_request_body: {
    meaning:
      'The body is not what the operation takes: its JSON, its Content-Type, its size, a field, or an object that it refers to.',
    remedy: 'Correct what `param` names; `details` lists every fault where there are several.',
    retry: 'never',
    param: 'title',
  },
  cursor_invalid: {
    meaning: 'The cursor was not given by this list.',
    remedy: 'Begin again without a cursor.',
    retry: 'never',
    param: 'starting_after',
  },
  cursor_filter_mismatch: {
    meaning: 'The cursor was given by this list with other filters or another order.',
    remedy: 'Keep the parameters while walking a list; only `limit` may change.',
    retry: 'never',
    param: 'starting_after',
  },
  resource_not_found: {
    meaning: "No such object: it never existed, or it is another organization's, realm's or workspace's.",
    remedy: 'Check the id, and whether the key is of the right mode (live or test).',
    retry: 'never',
  },
  resource_deleted: {
    meaning: 'The object was deleted.',
    remedy: 'Forget the id; deleted objects do not come back.',
    retry: 'never',
  },
  resource_id_ambiguous: {
    meaning: 'A legacy room id stands for several boards.',
    remedy: 'Use the public id of the board.',
    retry: 'never',
  },
  resource_conflict: {
    meaning:
      'The state of the object does not allow this, its revision is another one, or there is one like it already.',
    remedy: 'Read the object, decide anew, and send the change with a new Idempotency-Key.',
    retry: 'never',
    param: 'If-Match',
  },
  idempotency_key_required: {
    meaning: 'A POST, PATCH or DELETE came without an Idempotency-Key.',
    remedy: 'Send one: a new UUID for each thing that you want done.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  invalid_idempotency_key: {
    meaning: 'The Idempotency-Key is not 1 to 255 visible ASCII characters, or was sent twice.',
    remedy: 'Send one valid key.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  idempotency_key_reused: {
    meaning: 'The key was used within 24 hours with another method, path, query, body or `If-Match`.',
    remedy: 'Use a new key for another request; find out why the key was used twice.',
    retry: 'never',
    param: 'Idempotency-Key',
  },
  idempotency_in_progress: {
    meaning: 'A request with this key is still running.',
    remedy: 'Wait for `Retry-After` and send the same request again: it gets the answer of the first.',
    retry: 'after Retry-After',
    param: 'Idempotency-Key',
  },
  invalid_webhook_url: {
    meaning:
      'The URL is not one that webhooks may be sent to: public HTTPS, port 443 or 8443, without user or fragment.',
    remedy: 'Use such a URL.',
    retry: 'never',
    param: 'url',
  },
  webhook_target_unavailable: {
    meaning: 'The URL could not be reached: its name, the connection, TLS, or it took too long.',
    remedy: 'Make the receiver reachable, then send the change with a new Idempotency-Key.',
    retry: 'never',
    param: 'url',
  },
  webhook_verification_failed: {
    meaning: 'The URL answered the verification with something else than a 2xx status.',
    remedy: 'Let the receiver answer `platform.webhook_endpoint.verify` with 2xx, then use a new Idempotency-Key.',
    retry: 'never',
    param: 'url',
  },
  internal_error: {
    meaning: 'Something went wrong inside; the log of the installation has it under the request id.',
    remedy: 'Repeat with the same Idempotency-Key and back off; quote the request id to support if it stays.',
    retry: 'with back-off',
  },
}

/** What such an answer costs (decisions §4). A replayed one costs nothing. */
export function chargeOf(code: ErrorCode): 0 | 1 {
  const { status } = errorKinds[code]
  return status >= 500 || [401, 402, 403, 429].includes(status) ? 0 : 1
}
