/**
 * The second barrier on PostgreSQL: every tenant table shows a session only rows of the organization and realms for
 * which the session was opened, whatever the query says; a batch's session sees several. The system's own sessions
 * (credential look-up, sweeps, workers) declare themselves. Without settings a session sees nothing.
 */
import type { Scope, TenantScope } from '../store.ts'

export const app_role = 'atrium_app'

// Each setting is in a sub-select, so that a statement reads it once instead of once per row.
const system = `(select current_setting('atrium.system', true)) = 'on'`
const ofRealm = `realm = any((select coalesce(nullif(current_setting('atrium.realms', true), ''), '{}')::bigint[])::bigint[])`
const ofOrganization = `organization = any((select string_to_array(current_setting('atrium.organization', true), ','))::text[])`

/**
 * Visible to the whole organization although they have a realm: its realms, and its keys, which are counted over both
 * realms.
 */
const organizations_own = new Set(['realms', 'credentials'])

/** Tables without tenant: people's accounts and their means of sign-in, the secret key. Only the system's sessions see them. */
const systems_own = new Set([
  'accounts',
  'passkeys',
  'authenticators',
  'recovery_codes',
  'passkey_challenges',
  'sign_in_failures',
  'sign_in_flows',
  'reset_requests',
  'secret_key',
  'push_keys',
])

function policyOf(rule: string | null): string {
  const shown = rule === null ? system : `${system} or ${rule}`
  return `using (${shown}) with check (${shown})`
}

/** The policy of tables whose rows belong to organizations. */
export const organizationPolicy = policyOf(ofOrganization)

/** The policies for every table that the statements create. */
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
    out.push(
      `alter table ${table} enable row level security`,
      `alter table ${table} force row level security`,
      `create policy tenant on ${table} ${policyOf(rule)}`,
    )
  }
  return out
}

/** Fails in a session without the setting, and in one where it has ended with a transaction. */
const systemOnShards = `current_setting('atrium.system')::boolean`

/**
 * Found in the settings' texts: to read the lists again for each row takes 12 µs with 64 realms. Processes of an earlier version, which
 * run until they are replaced, set realms without spaces.
 */
const realmOnShards = `strpos(current_setting('atrium.realms', true), ' ' || realm || ' ') > 0
  or (strpos(current_setting('atrium.realms', true), ' ') = 0 and ${ofRealm.replaceAll('(select ', '(')})`
const organizationOnShards = `strpos(',' || current_setting('atrium.organization', true) || ',', ',' || organization || ',') > 0`

/**
 * The same policy without sub-selects, which Citus refuses: a statement then reads the settings once per row. A session without
 * settings gets an error instead of no rows: a node that passes a statement on to another node passes on no settings. `rule` is
 * the policy's text in PostgreSQL's catalogue.
 */
export function policyOnShards(rule: string): string {
  const isOfOrganization = rule.includes('atrium.organization')
  const own = rule.includes('atrium.realms') ? realmOnShards : isOfOrganization ? organizationOnShards : null
  const shown = own === null ? systemOnShards : `${systemOnShards} or ${own}`
  return `using (${shown}) with check (${shown})`
}

/** Whether a policy's text in PostgreSQL's catalogue is that of `policyOnShards`. */
export const is_policy_on_shards = `qual like '%current_setting(''atrium.system''::text))::boolean%'
  and (qual like '%strpos%' or qual not like '%atrium.realms%' and qual not like '%atrium.organization%')`

/** What a session may see: the rows of one scope, or of several organizations. */
export type Visible = Scope | readonly TenantScope[]

/** The values of the settings that the policies read. */
function settingsOf(visible: Visible): [system: string, organizations: string, realms: string] {
  if (visible === 'system') return ['on', '', '']
  const scopes = 'organization' in visible ? [visible] : visible
  const organizations = scopes.map(({ organization }) => organization).join()
  // With spaces, between which a policy on shards finds a realm.
  return ['off', organizations, `{ ${scopes.flatMap(({ realms }) => realms).join(' , ')} }`]
}

/** Whether both show the same rows. */
export function isSame(one: Visible, other: Visible): boolean {
  return one === other || settingsOf(one).join(' ') === settingsOf(other).join(' ')
}

/**
 * The same settings for the transaction, as statements that Citus passes on to the nodes of the transaction; it does not pass
 * on what a function sets.
 */
export function settingStatements(visible: Visible): { sql: string; values: string[] }[] {
  const names = ['atrium.system', 'atrium.organization', 'atrium.realms']
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`
  return settingsOf(visible).map((value, i) => ({
    sql: `set local ${names[i]} to ${quoted(value)}`,
    values: [],
  }))
}

/** The settings that the policies read, as one statement, for the transaction or for the session. */
export function scopeSettings(visible: Visible, transaction: boolean): { name: string; sql: string; values: string[] } {
  return {
    name: transaction ? 'scope_transaction' : 'scope_session',
    sql: `select set_config('atrium.system', $1, ${transaction}), set_config('atrium.organization', $2, ${transaction}), set_config('atrium.realms', $3, ${transaction})`,
    values: settingsOf(visible),
  }
}
