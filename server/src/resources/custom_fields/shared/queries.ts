/** SQL of custom fields. A workspace has at most `limits.fields_defined_max`, so all are read together. */
import { type Caller, guestOf, type Tenant } from '../../../api/declare/caller.ts'
import { limits } from '../../../api/limits.ts'
import { literal, type Placeholder, query } from '../../../db/query.ts'
import type { CustomFieldRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'

const ofWorkspace = query<CustomFieldRow, { realm: number; workspace: string }>((db, p) =>
  db
    .selectFrom('custom_fields')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('workspace', '=', p('workspace'))
    .where('deleted_at', 'is', null)
    .limit(literal(limits.fields_defined_max)),
)

/** The live fields of a workspace, in any order. */
export async function fieldsOf(reader: Reader, realm: number, workspace: string): Promise<CustomFieldRow[]> {
  return await reader.all(ofWorkspace, { realm, workspace })
}

const withKey = query((db, p: Placeholder<{ realm: number; key: string }>) =>
  db
    .selectFrom('custom_fields')
    .selectAll()
    .where('realm', '=', p('realm'))
    .where('key', '=', p('key'))
    .where('deleted_at', 'is', null)
    .orderBy('workspace')
    .limit(literal(limits.fields_of_key_max)),
)

/**
 * The live fields with a key: of one workspace, or of all in the realm, at most `limits.fields_of_key_max`; for a guest of the
 * workspaces of the guest's projects.
 */
export async function fieldsWithKey(
  reader: Reader,
  tenant: Tenant | Caller,
  key: string,
  workspace: string | undefined,
): Promise<CustomFieldRow[]> {
  const { realm } = tenant
  const guest = guestOf(tenant)
  if (guest !== null && workspace === undefined) {
    const all = await Promise.all([...guest.workspaces].sort().map((each) => fieldsOf(reader, realm, each)))
    return all.flat().filter((row) => row.key === key)
  }
  if (workspace === undefined) return await reader.all(withKey, { realm, key })
  if (guest !== null && !guest.workspaces.has(workspace)) return []
  return (await fieldsOf(reader, realm, workspace)).filter((row) => row.key === key)
}
