/**
 * What an agent does about an error: as `derive/error-guide.ts` tells integrators, in words of tools and arguments where an
 * agent has others than headers and URLs.
 */
import { type ErrorCode, errorKinds } from '../api/errors.ts'
import { errorGuide } from '../derive/error-guide.ts'

const forAgents: Partial<Record<ErrorCode, string>> = {
  missing_api_key: 'Ask the user to configure an API key for this MCP server.',
  invalid_api_key: 'Ask the user to check the API key of this MCP server. Do not call again before.',
  invalid_access_token: 'Ask the user for a new access token. Do not call again before.',
  plan_required: 'Tell the user that the plan of the organization has to be renewed.',
  insufficient_scope: 'Do without it, or ask the user for a key with that scope.',
  rate_limit_exceeded: 'Wait, then call again; usage_retrieve shows the windows. Fewer and larger calls cost less.',
  rate_limit_unavailable: 'Wait, then call again with the same idempotency_key.',
  credential_validation_unavailable: 'Wait, then call again.',
  invalid_query_parameter: 'Correct the argument that param names, then call again.',
  invalid_request_body: 'Correct the arguments that param and details name, then call again.',
  cursor_invalid: 'Begin the list again without a cursor.',
  cursor_filter_mismatch: 'Keep all arguments but limit while walking a list, or begin it again without a cursor.',
  resource_not_found: 'Check the id: list the objects to find it. Ids of one kind of object do not stand for another.',
  resource_conflict: 'Retrieve the object, decide anew, then call again without the old idempotency_key.',
  idempotency_key_required: 'Call again.',
  invalid_idempotency_key: 'Leave idempotency_key out, or use 1 to 255 visible ASCII characters.',
  idempotency_key_reused: 'Use another idempotency_key for another change, or leave it out.',
  idempotency_in_progress: 'Wait, then call again with the same arguments to get the answer of the first call.',
  internal_error: 'Call again with the same idempotency_key; if it fails again, tell the user the request_id.',
}

/** What to do about a code; one that this program does not know is a matter for the user. */
export function adviceFor(code: string): string {
  if (!Object.hasOwn(errorKinds, code)) return 'Tell the user, with the request_id.'
  const known = code as ErrorCode
  return forAgents[known] ?? errorGuide[known].remedy
}
