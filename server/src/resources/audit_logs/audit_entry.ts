/** The audit entry: who changed what and when, chained to the entry before it (decisions §9). */
import Type from 'typebox'
import { showAudit } from '../../api/audit.ts'
import type { Noun, PublicObject } from '../../api/noun.ts'
import { Actor, Id, Nullable, OneOf, Seconds } from '../../api/shapes.ts'
import { query } from '../../db/query.ts'
import type { AuditRow } from '../../db/schema.ts'

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Text = Type.String()

export const AuditEntry = Type.Object({
  id: Id,
  object: Type.Literal('audit_entry'),
  created: Seconds,
  sequence: Type.Integer({ minimum: 1, description: 'Without gap over the whole organization, both realms together.' }),
  mode: OneOf('live', 'test'),
  action: Text,
  actor: Actor,
  credential: Nullable(Id),
  target: Type.Object({ object: Text, id: Text }),
  room: Nullable(Text),
  workspace: Nullable(Id),
  request: Nullable(Id),
  changed_fields: Type.Array(Text),
  reason: Nullable(Text),
  source: Type.Object({ ip: Nullable(Text), user_agent: Nullable(Text) }),
  previous_hash: Type.Union([Hash, Type.Literal('')], { description: 'Empty for the first entry.' }),
  hash: Hash,
})

const byId = query((db, p) =>
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
