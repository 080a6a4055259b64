/** The audit entry: who changed what and when, chained to the previous entry (contract/09#audit-entries). */
import Type from 'typebox'
import type { Noun, PublicObject } from '../../api/declare/noun.ts'
import { Actor, described, Id, Nullable, OneOf, Seconds } from '../../api/declare/shapes.ts'
import { showAudit } from '../../api/write/audit.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { AuditRow } from '../../db/schema.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Text = Type.String()

const AuditEntry = Type.Object({
  id: described(Id, 'Id of the entry.'),
  object: described(Type.Literal('audit_entry'), 'Kind of object: always `audit_entry`.'),
  created: described(Seconds, 'When the change was committed, in Unix seconds.'),
  sequence: Type.Integer({
    minimum: 1,
    description: 'Number of the entry: no gaps over the whole organization, live and test together.',
  }),
  mode: described(OneOf('live', 'test'), 'Data set that was changed: live or test.'),
  action: described(Text, 'Operation that made the change, such as `tasks.update`.'),
  actor: described(Actor, 'Who made the change.'),
  credential: described(
    Nullable(Id),
    'Credential that made the change; null for the operator, the console and workers.',
  ),
  target: described(
    Type.Object({
      object: described(Text, 'Kind of the object, such as `task`.'),
      id: described(Text, 'Id of the object.'),
    }),
    'Object that was changed.',
  ),
  room: described(Nullable(Text), 'Board id, or its legacy room id; null for changes outside whiteboards.'),
  workspace: described(Nullable(Id), 'Workspace of the changed object; null for objects outside workspaces.'),
  request: described(Nullable(Id), 'Id of the request that made the change; null for changes without one.'),
  changed_fields: described(Type.Array(Text), 'Names of the changed fields, without values.'),
  reason: described(Nullable(Text), 'Reason given with the change; null if none was.'),
  source: described(
    Type.Object({
      ip: described(Nullable(Text), 'Address of the client, cut to /24 (IPv4) or /48 (IPv6); null if unknown.'),
      user_agent: described(Nullable(Text), '`User-Agent` of the client; null if none was sent.'),
    }),
    'Where the request came from.',
  ),
  previous_hash: Type.Union([Hash, Type.Literal('')], {
    description: '`hash` of the entry before this one; empty for the first entry.',
  }),
  hash: described(Hash, 'SHA-256 over this entry and `previous_hash`, in hexadecimal.'),
})

const byId = query((db, p: Placeholder<{ organization: string; realm: number; id: string }>) =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('organization', '=', p('organization'))
    .where('realm', '=', p('realm'))
    .where('id', '=', p('id')),
)

export const auditEntryNoun: Noun<AuditRow> = {
  object: 'audit_entry',
  prefix: 'aud',
  table: 'audit_entries',
  schema: AuditEntry,
  readScope: 'api:read',
  workspaced: false,
  forgets: false,
  find: (reader, { organization, realm }, reference) => reader.first(byId, { organization, realm, id: reference }),
  show: (row) => showAudit(row) as PublicObject,
}
