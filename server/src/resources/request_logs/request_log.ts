/** The request log: what is known of one request, for seven days; never bodies, values or credentials (decisions §9). */
import Type from 'typebox'
import { Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import { limits } from '../../lib/limits.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

export const RequestLog = Type.Object({
  id: Id,
  object: Type.Literal('request_log'),
  created: Seconds,
  method: OneOf('GET', 'POST', 'PATCH', 'DELETE'),
  route: Text,
  path: Text,
  query_parameters: Type.Array(Text),
  operation: Text,
  status: Type.Integer(),
  error_code: Nullable(Text),
  error_param: Nullable(Text),
  credential: Id,
  owner: Type.Object({ type: OneOf('organization', 'user', 'application'), id: Type.String({ minLength: 1 }) }),
  mode: OneOf('live', 'test'),
  api_version: Text,
  cost: Count,
  charged: Count,
  duration_ms: Count,
  dry_run: Type.Boolean(),
  idempotency_replayed: Type.Boolean(),
  original_request: Nullable(Id),
  ip: Text,
  user_agent: Nullable(Type.String({ maxLength: limits.user_agent_chars_max })),
  request_bytes: Count,
  response_bytes: Count,
  events: Type.Array(Id, { maxItems: limits.logged_events_max }),
  expires_at: Seconds,
})
