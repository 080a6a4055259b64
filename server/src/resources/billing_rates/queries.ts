/** What a rate applies to, and that no other rate applies to the same. */
import { sql } from 'kysely'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { findReference } from '../../api/request/references.ts'
import { type Placeholder, rawQuery } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { userNoun } from '../members/member.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'

const findTwin = rawQuery(
  (p: Placeholder<{ realm: number; workspace: string; scope: string; target: string }>) => sql<{
    id: string
  }>`select id from billing_rates where realm = ${p('realm')} and workspace = ${p('workspace')}
    and scope = ${p('scope')} and coalesce(target, '') = ${p('target')} and deleted_at is null`,
)

interface From {
  readonly tx: Reader
  readonly caller: Caller
}

interface Applies {
  readonly workspace: string
  readonly scope: string
  readonly target: string | null
}

/** Refuses a target that does not fit the scope: none for a workspace, a project's or a user's id otherwise. */
export async function requireTarget(from: From, { workspace, scope, target }: Applies): Promise<void> {
  if (scope === 'workspace') {
    if (target === null) return
    throw refuse('invalid_request_body', { param: 'target', message: 'A rate of a workspace has no target.' })
  }
  if (target === null) {
    throw refuse('invalid_request_body', { param: 'target', message: `A rate of a ${scope} needs its id as target.` })
  }
  if (scope === 'project') await requireUsableProject(from, target, workspace, 'target')
  else {
    const member = await findReference(userNoun, from, target, 'target')
    if (member.status === 'active') return
    throw refuse('invalid_request_body', { param: 'target', message: 'target names a member who is not active.' })
  }
}

/** Refuses a second rate for the same workspace, scope and target. */
export async function refuseTwin(from: From, { workspace, scope, target }: Applies, own?: string): Promise<void> {
  const values = { realm: from.caller.realm, workspace, scope, target: target ?? '' }
  const twin = await from.tx.first(findTwin, values)
  if (twin === undefined || twin.id === own) return
  throw refuse('resource_conflict', { message: `${twin.id} is already the rate of this ${scope}.` })
}
