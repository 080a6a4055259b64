/** SQL of custom fields. A workspace has at most `limits.fields_defined_max`, so all are read together. */
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

/** The live fields with a key: of one workspace, or of all in the realm, at most `limits.fields_of_key_max`. */
export async function fieldsWithKey(
  reader: Reader,
  realm: number,
  key: string,
  workspace: string | undefined,
): Promise<CustomFieldRow[]> {
  if (workspace === undefined) return await reader.all(withKey, { realm, key })
  return (await fieldsOf(reader, realm, workspace)).filter((row) => row.key === key)
}
