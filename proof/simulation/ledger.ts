/** The database of a seed as seen from outside: the product's progress and the final rows. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { hosts } from './installation.ts'

const healthy = [hosts.all, hosts.tasks, hosts.late].map((host) => `'https://${host}/hook'`).join()

/** Counts of unfinished work, by name. All must reach zero once nothing fails. */
const unfinished: Readonly<Record<string, string>> = {
  'events not fanned out': `select sum(h.sequence - p.sequence) from webhook_positions p join event_heads h using (realm)`,
  'events not looked through by automations': `select sum(h.sequence - p.sequence) from automation_positions p join event_heads h using (realm)`,
  'deliveries that wait': `select count(*) from webhook_deliveries d join webhook_endpoints e on e.realm = d.realm and e.id = d.endpoint
    where d.next_attempt_at is not null and e.url in (${healthy})`,
  'automation runs that have not ended': 'select count(*) from automation_runs where ended_at is null',
  'exports that have not ended': `select count(*) from export_jobs where status in ('queued', 'running')`,
}

const leases = ['webhook_endpoints', 'automation_runs', 'export_jobs', 'workers', 'idempotency']

export interface EventRow {
  readonly sequence: number
  readonly id: string
  readonly type: string
  readonly key: string | null
  readonly commit: string
  readonly data: string
}

export class Ledger {
  private readonly database: DatabaseSync
  private readonly statements = new Map<string, StatementSync>()

  constructor(file: string) {
    this.database = new DatabaseSync(file, { readOnly: true })
  }

  all<T>(text: string, ...values: SQLInputValue[]): T[] {
    return this.database.prepare(text).all(...values) as T[]
  }

  private number(text: string): number {
    let statement = this.statements.get(text)
    if (statement === undefined) {
      statement = this.database.prepare(text)
      this.statements.set(text, statement)
    }
    return Number(Object.values(statement.get() ?? {})[0] ?? 0)
  }

  /** The unfinished work in words. */
  unfinishedWork(): string[] {
    const left = Object.entries(unfinished).map(([what, text]) => [what, this.number(text)] as const)
    return left.filter(([, count]) => count !== 0).map(([what, count]) => `${count} ${what}`)
  }

  /** When the last lease expires. */
  lastLease(): number {
    return Math.max(...leases.map((table) => this.number(`select max(lease_until) from ${table}`)))
  }

  sequence(realm: number): number {
    return this.number(`select sequence from event_heads where realm = ${realm}`)
  }

  events(realm: number): EventRow[] {
    return this.all(
      `select sequence, id, type, idempotency_key as key, commit_id as "commit", data from events where realm = ? order by sequence`,
      realm,
    )
  }

  /** How many rows of a table have at least that age. */
  older(table: string, column: string, until: number): number {
    return this.number(`select count(*) from ${table} where ${column} <= ${until}`)
  }

  auditHash(): string {
    return this.all<{ hash: string }>('select hash from audit_heads')
      .map(({ hash }) => hash)
      .join()
  }

  close(): void {
    this.database.close()
  }
}
