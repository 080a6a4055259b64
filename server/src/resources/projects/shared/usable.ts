/** A referenced project: it must belong to the workspace and not be archived (contract/15#archived-projects). */
import type { Tenant } from '../../../api/declare/caller.ts'
import { refuse } from '../../../api/declare/errors.ts'
import { findReference } from '../../../api/request/references.ts'
import type { ProjectRow } from '../../../db/schema.ts'
import type { Reader } from '../../../db/store.ts'
import { projectNoun } from '../project.ts'

/** The project, or 400 for one that cannot be named here, 409 for an archived one. */
export async function requireUsableProject(
  from: { readonly tx: Reader; readonly caller: Tenant },
  id: string,
  workspace: string,
  param = 'project',
): Promise<ProjectRow> {
  const row = await findReference(projectNoun, from, id, param, workspace)
  if (row.status === 'archived') throw refuse('resource_conflict', { param, message: 'The project is archived.' })
  return row
}
