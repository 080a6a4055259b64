/**
 * Whether a statement can concern only rows of its job's own tenant. A batch's session sees the rows of all its
 * organizations; a statement whose text does not name its own organization or realm therefore runs with the settings of
 * its job alone, so that row-level security hides the others' rows from it.
 */
import type { Columns, Effect } from '../effect.ts'
import { boundValue, type Values } from '../query.ts'
import type { Scope } from '../store.ts'

/** Tables whose rows belong to the whole organization, whatever the realms of a session. */
const of_organization: ReadonlySet<string> = new Set([
  'audit_heads',
  'audit_entries',
  'organizations',
  'realms',
  'teams',
  'team_members',
])

export function isOwn(scope: Scope, effect: Effect, values: Values): boolean {
  if (scope === 'system') return true
  switch (effect.kind) {
    case 'reads':
      return effect.rows !== null && namesOwn(scope, effect.rows.table, effect.rows.where, values)
    case 'inserts':
      return effect.rows.every((row) => namesOwn(scope, effect.table, row, values))
    case 'changes':
      return !changesTenant(effect.set) && namesOwn(scope, effect.table, effect.where, values)
    case 'anything':
      return false
  }
}

function changesTenant(set: Columns | null): boolean {
  return set !== null && (set.has('realm') || set.has('organization'))
}

/** Whether each column of the tenant has a value of the scope, and those that the table's policy reads are among them. */
function namesOwn(scope: Exclude<Scope, 'system'>, table: string, columns: Columns, values: Values): boolean {
  const hasRealm = columns.has('realm')
  const hasOrganization = columns.has('organization')
  if (hasRealm && !scope.realms.includes(boundValue(columns.get('realm'), values) as number)) return false
  if (hasOrganization && boundValue(columns.get('organization'), values) !== scope.organization) return false
  return hasRealm || (hasOrganization && of_organization.has(table))
}
