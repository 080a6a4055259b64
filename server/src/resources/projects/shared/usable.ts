/** A referenced project must belong to the workspace, if one is given, and must not be archived (contract/15#archived-projects). */
import type { Tenant } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import type { ProjectRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { projectNoun } from '../project.ts'

/** The project. Refuses an unknown one or one of another workspace with 400, an archived one with 409. */
export async function requireUsableProject(
  from: { readonly tx: Reader; readonly caller: Tenant },
  id: string,
  workspace?: string,
  param = 'project',
): Promise<ProjectRow> {
  const row = await findReference(projectNoun, from, id, param, workspace)
  if (row.status === 'archived') throw refuse('resource_conflict', { param, message: 'The project is archived.' })
  return row
}
