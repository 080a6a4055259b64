/**
 * Whether a statement can concern only rows of its job's own tenant. A batch's session sees the rows of all its
 * organizations; a statement whose text does not name its own organization or realm therefore runs with the settings of
 * its job alone, so that row-level security hides the others' rows from it.
 */
import type { Columns, Effect } from '../engine/effect.ts'
import { boundValue, type Values } from '../query.ts'
import type { Scope } from '../store.ts'

/** Tables whose rows row-level security shows to the whole organization, whatever the realms of a session. */
const of_organization: ReadonlySet<string> = new Set([
  'account_memberships',
  'audit_heads',
  'audit_entries',
  'credentials',
  'members',
  'organizations',
  'preferences',
  'push_subscriptions',
  'realms',
  'teams',
  'team_members',
])

export function isOwn(scope: Scope, effect: Effect, values: Values): boolean {
  if (scope === 'system') return true
  switch (effect.kind) {
    case 'reads':
      return effect.within !== null && namesOwn(scope, effect.within.table, effect.within.where, values)
    case 'inserts':
      // The row with the same key is the organization's own only if the key names it.
      return (
        (effect.conflict?.key.some(isTenant) ?? true) &&
        effect.rows.every((row) => namesOwn(scope, effect.table, row, values))
      )
    case 'changes':
      return !changesTenant(effect.set) && namesOwn(scope, effect.table, effect.where, values)
    case 'anything':
      return false
  }
}

function isTenant(column: string): boolean {
  return column === 'realm' || column === 'shard' || column === 'organization'
}

function changesTenant(set: Columns | null): boolean {
  return set !== null && [...set.keys()].some(isTenant)
}

/** Whether each column of the tenant has a value of the scope, and those that the table's policy reads are among them. */
function namesOwn(scope: Exclude<Scope, 'system'>, table: string, columns: Columns, values: Values): boolean {
  // The indexes of texts name their realm as `shard`.
  const realms = ['realm', 'shard'].filter((name) => columns.has(name))
  const hasRealm = realms.length > 0
  const hasOrganization = columns.has('organization')
  if (!realms.every((name) => scope.realms.includes(boundValue(columns.get(name), values) as number))) return false
  if (hasOrganization && boundValue(columns.get('organization'), values) !== scope.organization) return false
  return hasRealm || (hasOrganization && of_organization.has(table))
}
