/**
 * The second wall on PostgreSQL: every table of tenants shows a session only the rows of the organization and realms
 * that the session was opened for, whatever the query says. The system's own sessions (credential look-up, sweeps,
 * workers) say so explicitly. Settings default to nothing, so a session that says nothing sees nothing.
 */
import type { Scope } from './store.ts'

export const app_role = 'atrium_app'

// Each setting stands in a sub-select, so that a statement reads it once and not once a row.
const system = `(select current_setting('atrium.system', true)) = 'on'`
const ofRealm = `realm = any((select coalesce(nullif(current_setting('atrium.realms', true), ''), '{}')::bigint[])::bigint[])`
const ofOrganization = `organization = (select current_setting('atrium.organization', true))`

/** Seen by the organization although they name a realm: its realms, and its keys, which are counted over both. */
const organizations_own = new Set(['realms', 'credentials'])

/** Of no tenant: people's accounts and what proves who they are. Only the system's own sessions see them. */
const systems_own = new Set(['accounts', 'passkeys', 'passkey_challenges', 'sign_in_failures'])

/** Policies for every table that the statements create. */
export function rowSecurity(statements: readonly string[]): string[] {
  const out: string[] = []
  for (const statement of statements) {
    const table = /^create table (\w+)/.exec(statement)?.[1]
    if (table === undefined) continue
    const rule =
      /\(\s*realm\b/.test(statement) && !organizations_own.has(table)
        ? ofRealm
        : /\borganization\b/.test(statement)
          ? ofOrganization
          : null
    if (rule === null && !systems_own.has(table)) continue
    const policy = rule === null ? system : `${system} or ${rule}`
    out.push(
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `create policy tenant on ${table} using (${policy}) with check (${policy})`,
    )
  }
  return out
}

/** The settings that the policies read, as one statement: for the transaction or for the session. */
export function scopeSettings(scope: Scope, transaction: boolean): { name: string; sql: string; values: string[] } {
  return {
    name: transaction ? 'scope_transaction' : 'scope_session',
    sql: `select set_config('atrium.system', $1, ${transaction}), set_config('atrium.organization', $2, ${transaction}), set_config('atrium.realms', $3, ${transaction})`,
    values: scope === 'system' ? ['on', '', ''] : ['off', scope.organization, `{${scope.realms.join()}}`],
  }
}
