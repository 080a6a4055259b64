import { organizationPolicy } from '../postgres/row-security.ts'
import type { Migration } from './migration.ts'

/** Earlier tables whose rows belong to an organization. */
const tables =
  'organizations realms audit_heads members teams credentials credit_windows audit_entries automation_ai_usage account_memberships account_links sessions session_cookies session_tokens operators unfinished_demos'

/**
 * On PostgreSQL, these tables show a session the rows of several organizations, because one transaction carries the
 * writes of many.
 */
export const batches: Migration = {
  name: '0019_batches',
  sql: {
    sqlite: '',
    postgres: tables
      .split(' ')
      .map((table) => `alter policy tenant on ${table} ${organizationPolicy};\n`)
      .join(''),
  },
}
