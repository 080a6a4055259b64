/** The request log entry of one request, kept for seven days, without bodies, values or credentials (contract/09#request-log). */
import Type from 'typebox'
import type { AnyNoun } from '../../api/declare/noun.ts'
import { described, Id, Nullable, OneOf, Owner, Seconds } from '../../api/declare/shapes.ts'
import { limits } from '../../api/limits.ts'

const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })

export const RequestLog = Type.Object({
  id: described(Id, 'Id of the request, as in `X-Request-Id`.'),
  object: described(Type.Literal('request_log'), 'Kind of object: always `request_log`.'),
  created: described(Seconds, 'When the request arrived, in Unix seconds.'),
  method: described(Text, 'HTTP method of the request; GET for HEAD.'),
  route: described(
    Nullable(Text),
    'Path of the operation with placeholders, such as `/v1/tasks/{id}`; null if the request met no operation.',
  ),
  path: described(Text, 'Path as requested, without the query.'),
  query_parameters: described(Type.Array(Text), 'Names of the query parameters, without values.'),
  operation: described(Nullable(Text), 'Id of the operation; null if the request met none.'),
  status: described(Type.Integer(), 'Status of the answer.'),
  error_code: described(Nullable(Text), 'Code of the error; null after a success.'),
  error_param: described(Nullable(Text), 'Parameter at fault; null if none.'),
  credential: described(Id, 'Credential that sent the request.'),
  owner: described(Owner, 'For whom the credential acts.'),
  mode: described(OneOf('live', 'test'), 'Data set of the credential: live or test.'),
  api_version: described(Text, 'Version that the answer used.'),
  cost: described(Count, 'List price of the operation in credits.'),
  charged: described(Count, 'Credits that were charged.'),
  duration_ms: described(Count, 'Time from arrival to answer in milliseconds.'),
  dry_run: described(Type.Boolean(), 'Whether the request was a dry run.'),
  idempotency_replayed: described(Type.Boolean(), 'Whether the answer was replayed for a repeated Idempotency-Key.'),
  original_request: described(Nullable(Id), 'Request that the replayed answer was first given to; null otherwise.'),
  ip: described(Text, 'Address of the client, cut to /24 (IPv4) or /48 (IPv6).'),
  user_agent: described(
    Nullable(Type.String({ maxLength: limits.user_agent_chars_max })),
    '`User-Agent` of the client; null if none was sent.',
  ),
  request_bytes: described(Count, 'Size of the request body in bytes.'),
  response_bytes: described(Count, 'Size of the answer in bytes.'),
  events: described(
    Type.Array(Id, { maxItems: limits.logged_events_max }),
    'Ids of the first events that the request emitted.',
  ),
  expires_at: described(Seconds, 'When the entry will be deleted, in Unix seconds: seven days after the request.'),
})

/** Entries are found by the request log itself (`api/request-log/`), which has those that are not written yet. */
export const requestLogNoun: AnyNoun = {
  object: 'request_log',
  prefix: 'req',
  table: 'request_logs',
  schema: RequestLog,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  find: () => undefined,
  show: (entry: { id: string; object: string }) => entry,
}
