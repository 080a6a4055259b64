/** Checks the target of a billing rate and that it is the only rate of its scope and target. */
import { sql } from 'kysely'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { findReference } from '../../api/request/references.ts'
import { type Placeholder, rawQuery } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { userNoun } from '../members/member.ts'
import { requireUsableProject } from '../projects/shared/usable.ts'

const findSame = rawQuery(
  (p: Placeholder<{ realm: number; workspace: string; scope: string; target: string }>) => sql<{
    id: string
  }>`select id from billing_rates where realm = ${p('realm')} and workspace = ${p('workspace')}
    and scope = ${p('scope')} and coalesce(target, '') = ${p('target')} and deleted_at is null`,
)

interface From {
  readonly tx: Reader
  readonly caller: Caller
}

interface RateTarget {
  readonly workspace: string
  readonly scope: string
  readonly target: string | null
}

/** Refuses a target that does not fit the scope: a workspace rate has none, others name a project or user. */
export async function requireTarget(from: From, { workspace, scope, target }: RateTarget): Promise<void> {
  if (scope === 'workspace') {
    if (target === null) return
    throw refuse('invalid_request_body', {
      param: 'target',
      message: 'A rate with scope workspace has no target. Send null.',
    })
  }
  if (target === null) {
    throw refuse('invalid_request_body', {
      param: 'target',
      message: `A rate with scope ${scope} needs a target: the id of the ${scope}.`,
    })
  }
  if (scope === 'project') await requireUsableProject(from, target, workspace, 'target')
  else {
    const member = await findReference(userNoun, from, target, 'target')
    if (member.status === 'active') return
    throw refuse('invalid_request_body', {
      param: 'target',
      message: `target "${target}" names a member who is not active.`,
    })
  }
}

/** Refuses a second rate for the same workspace, scope and target. */
export async function requireUnique(from: From, { workspace, scope, target }: RateTarget, own?: string): Promise<void> {
  const values = { realm: from.caller.realm, workspace, scope, target: target ?? '' }
  const existing = await from.tx.first(findSame, values)
  if (existing === undefined || existing.id === own) return
  throw refuse('resource_conflict', { message: `The rate ${existing.id} is already that of this ${scope}.` })
}
