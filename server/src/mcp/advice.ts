/**
 * What an agent should do after an error: the remedies of `derive/error-guide.ts`, reworded where an agent has tools and
 * arguments instead of URLs and headers.
 */
import { type ErrorCode, errorKinds } from '../api/declare/errors.ts'
import { errorGuide } from '../derive/error-guide.ts'

const forAgents: Partial<Record<ErrorCode, string>> = {
  missing_api_key: 'Ask the user to configure an API key for this MCP server.',
  invalid_api_key: 'Ask the user to check the API key of this MCP server. Do not call again before that.',
  invalid_access_token: 'Ask the user for a new access token. Do not call again before that.',
  plan_required: 'Tell the user that the organization has to renew its plan.',
  insufficient_scope: 'Continue without this tool, or ask the user for a key with that scope.',
  rate_limit_exceeded: 'Wait, then call again; usage_retrieve shows the windows. Use fewer, larger calls.',
  rate_limit_unavailable: 'Wait, then call again with the same idempotency_key.',
  credential_validation_unavailable: 'Wait, then call again.',
  invalid_query_parameter: 'Correct the argument that param names, then call again.',
  invalid_request_body: 'Correct the arguments that param and details name, then call again.',
  cursor_invalid: 'Start the list again without a cursor.',
  cursor_filter_mismatch: 'While paging, change no argument except limit, or start the list again without a cursor.',
  resource_not_found:
    'Check the id; list the objects to find it. An id of one kind of object does not work for another kind.',
  resource_conflict:
    'Retrieve the object, check whether the change is still right, then call again without the old idempotency_key.',
  idempotency_key_required: 'Call again.',
  invalid_idempotency_key: 'Omit idempotency_key, or use 1 to 255 visible ASCII characters.',
  idempotency_key_reused: 'Use another idempotency_key for another change, or omit it.',
  idempotency_in_progress: 'Wait, then call again with the same arguments to get the result of the first call.',
  internal_error: 'Call again with the same idempotency_key; if it fails again, tell the user the request_id.',
}

/** The advice for an error code. A code that this version does not know is reported to the user. */
export function adviceFor(code: string): string {
  if (!Object.hasOwn(errorKinds, code)) return 'Tell the user the error and the request_id.'
  const known = code as ErrorCode
  return forAgents[known] ?? errorGuide[known].remedy
}
