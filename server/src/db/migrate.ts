/**
 * Brings a database from any earlier state to today's tables. Each migration is one transaction and runs once, after
 * its `first`. If the process ends during a migration, the next start runs it again.
 */
import { sql } from 'kysely'
import { distribute } from './citus/distribute.ts'
import { type Dialect, dataDefinition } from './dialect.ts'
import { core } from './migrations/0001_core.ts'
import { money } from './migrations/0002_money.ts'
import { exports } from './migrations/0003_exports.ts'
import { webhooks } from './migrations/0004_webhooks.ts'
import { boards } from './migrations/0005_boards.ts'
import { automations } from './migrations/0006_automations.ts'
import { requestLogFile } from './migrations/0007_request_log_file.ts'
import { consoleTables } from './migrations/0008_console.ts'
import { taskTerms } from './migrations/0009_task_terms.ts'
import { applications } from './migrations/0012_applications.ts'
import { tenants } from './migrations/0013_tenants.ts'
import { secretKey } from './migrations/0014_secret_key.ts'
import { textIndex } from './migrations/0015_text_index.ts'
import { integrators } from './migrations/0016_integrators.ts'
import { logPositions } from './migrations/0017_log_positions.ts'
import { imports } from './migrations/0018_imports.ts'
import { batches } from './migrations/0019_batches.ts'
import { workOrder } from './migrations/0020_work_order.ts'
import { customFields } from './migrations/0021_custom_fields.ts'
import { search } from './migrations/0022_search.ts'
import { listOrder } from './migrations/0023_list_order.ts'
import { shards } from './migrations/0024_shards.ts'
import { files } from './migrations/0026_files.ts'
import { eventChecksums } from './migrations/0027_event_checksums.ts'
import { searchFiles } from './migrations/0028_search_files.ts'
import { views } from './migrations/0029_views.ts'
import { own_changes } from './migrations/0030_own_changes.ts'
import { mentions } from './migrations/0031_mentions.ts'
import { attachments } from './migrations/0032_attachments.ts'
import { inbox } from './migrations/0033_inbox.ts'
import { preferences } from './migrations/0034_preferences.ts'
import { mail } from './migrations/0035_mail.ts'
import { whiteboards } from './migrations/0036_whiteboards.ts'
import { previews } from './migrations/0037_previews.ts'
import { openid } from './migrations/0038_openid.ts'
import { boardProjects } from './migrations/0040_board_projects.ts'
import { provedAddresses } from './migrations/0041_proved_addresses.ts'
import { inboundMail } from './migrations/0042_inbound_mail.ts'
import { hooks } from './migrations/0044_hooks.ts'
import { guests } from './migrations/0045_guests.ts'
import { push } from './migrations/0046_push.ts'
import { boardComments } from './migrations/0047_board_comments.ts'
import { automationApprovals } from './migrations/0048_automation_approvals.ts'
import { boardLinks } from './migrations/0049_board_links.ts'
import { guestComments } from './migrations/0051_guest_comments.ts'
import { forms } from './migrations/0052_forms.ts'
import { mailboxes } from './migrations/0055_mailboxes.ts'
import { oauth } from './migrations/0056_oauth.ts'
import { secondFactor } from './migrations/0057_second_factor.ts'
import { versionNames } from './migrations/0058_version_names.ts'
import { scim } from './migrations/0060_scim.ts'
import { reruns } from './migrations/0061_reruns.ts'
import { runFilters } from './migrations/0062_run_filters.ts'
import { flowAuthority } from './migrations/0063_flow_authority.ts'
import { flowCalls } from './migrations/0064_flow_calls.ts'
import { correctedSteps } from './migrations/0065_corrected_steps.ts'
import { grantsOfPeople } from './migrations/0066_grants_of_people.ts'
import { searchPairs } from './migrations/0067_search_pairs.ts'
import { teamsAndSignOut } from './migrations/0068_teams_and_sign_out.ts'
import { credentialUses } from './migrations/0069_credential_uses.ts'
import { favorites } from './migrations/0070_favorites.ts'
import type { Migration } from './migrations/migration.ts'
import { rowSecurity } from './postgres/row-security.ts'
import { definition, type Placeholder, rawQuery } from './query.ts'
import { NewerDatabase, type Reader, type Store, type Tx } from './store.ts'

export const migrations: readonly Migration[] = [
  core,
  money,
  exports,
  webhooks,
  boards,
  automations,
  requestLogFile,
  consoleTables,
  taskTerms,
  applications,
  tenants,
  secretKey,
  textIndex,
  integrators,
  logPositions,
  imports,
  batches,
  workOrder,
  customFields,
  search,
  listOrder,
  shards,
  files,
  eventChecksums,
  searchFiles,
  views,
  own_changes,
  mentions,
  attachments,
  inbox,
  preferences,
  mail,
  whiteboards,
  previews,
  openid,
  boardProjects,
  provedAddresses,
  inboundMail,
  hooks,
  guests,
  push,
  boardComments,
  automationApprovals,
  boardLinks,
  guestComments,
  forms,
  mailboxes,
  oauth,
  secondFactor,
  versionNames,
  scim,
  reruns,
  runFilters,
  flowAuthority,
  flowCalls,
  correctedSteps,
  grantsOfPeople,
  searchPairs,
  teamsAndSignOut,
  credentialUses,
  favorites,
  // New migrations go above this line, in order of their numbers.
]

const applied = rawQuery(() => sql<{ name: string }>`select name from migrations order by name`)

const record = rawQuery(
  (p: Placeholder<{ name: string; now: number }>) =>
    sql`insert into migrations (name, applied) values (${p('name')}, ${p('now')})`,
)

/** Lists the migrations that a database has had. */
export const migrations_table =
  'create table if not exists migrations (name text not null primary key, applied bigint not null)'

/** The statements of one migration for one engine. */
export function statementsOf(migration: Migration, dialect: Dialect): string[] {
  const { sql: text } = migration
  const statements = dataDefinition(dialect, typeof text === 'string' ? text : text[dialect])
  return dialect === 'postgres' ? [...statements, ...rowSecurity(statements)] : statements
}

/** Applies missing migrations in order and returns their names. Safe to run while another process does the same. */
export async function migrate(store: Store, now: number): Promise<string[]> {
  await requireKnownMigrations(store)
  const done: string[] = []
  for (const name of await pendingMigrations(store)) {
    const migration = migrations.find((each) => each.name === name) as Migration
    if (await applyOne(store, migration, now)) done.push(name)
  }
  await distribute(store)
  return done
}

/** Applies only the migrations with these names, if missing: creates the tables of an earlier version. */
export async function applyMigrations(store: Store, names: readonly string[], now: number): Promise<void> {
  const pending = await pendingMigrations(store)
  for (const migration of migrations) {
    if (names.includes(migration.name) && pending.includes(migration.name)) await applyOne(store, migration, now)
  }
}

/** Names of the migrations that the database still lacks. */
export async function pendingMigrations(store: Store): Promise<string[]> {
  const names = new Set(await appliedMigrations(store))
  return migrations.map((migration) => migration.name).filter((name) => !names.has(name))
}

const tableOfMigrations = {
  sqlite: rawQuery(() => sql`select 1 from sqlite_schema where name = 'migrations'`),
  postgres: rawQuery(() => sql`select 1 from pg_class where oid = to_regclass('migrations')`),
}

/**
 * Names of the migrations that the database has had; empty for an empty database. Both reads use one connection: while the table
 * is being created, PostgreSQL may name it on one connection and not know it on another.
 */
export async function appliedMigrations(store: Store): Promise<string[]> {
  return await store.snapshot('system', appliedWithin)
}

/** The same for the reader of a snapshot. */
export async function appliedWithin(reader: Reader): Promise<string[]> {
  if ((await reader.first(tableOfMigrations[reader.dialect])) === undefined) return []
  return (await reader.all(applied)).map(({ name }) => name)
}

/** Those of `names` that this program does not have: a newer program applied them. */
export function unknownMigrations(names: readonly string[]): string[] {
  const known = new Set(migrations.map(({ name }) => name))
  return names.filter((name) => !known.has(name))
}

/** Refuses a database that a newer program has migrated. */
export async function requireKnownMigrations(store: Store): Promise<void> {
  const unknown = unknownMigrations(await appliedMigrations(store))
  if (unknown.length === 0) return
  const names = unknown.join(', ')
  throw new NewerDatabase(
    `A newer version of Atrium has migrated the database (${names}). Run that version or a later one.`,
  )
}

async function applyOne(store: Store, migration: Migration, now: number): Promise<boolean> {
  const first = migration.first?.[store.dialect]
  if (first !== undefined) {
    await store.migrate(async (tx) => {
      if (await isMissing(tx, migration))
        for (const text of dataDefinition(store.dialect, first)) tx.write(definition(text))
    })
  }
  return await store.migrate(async (tx) => {
    if (!(await isMissing(tx, migration))) return false
    for (const text of statementsOf(migration, store.dialect)) tx.write(definition(text))
    tx.write(record, { name: migration.name, now })
    return true
  })
}

/** Whether the database lacks the migration. Creates the list of migrations if it is missing. */
async function isMissing(tx: Tx, migration: Migration): Promise<boolean> {
  tx.write(definition(migrations_table))
  return !(await tx.all(applied)).some((row) => row.name === migration.name)
}
