import type { Dialect } from '../dialect.ts'

/** One step from an earlier state of the tables to the next. */
export interface Migration {
  readonly name: string
  /**
   * Runs before the migration, in a transaction of its own, and again if the migration is repeated: for statements that
   * must be on disk before the migration starts, on an engine that commits it in parts.
   */
  readonly first?: Readonly<Partial<Record<Dialect, string>>>
  /** Data definition in the subset that both engines share, or separately for each engine. */
  readonly sql: string | Readonly<Record<Dialect, string>>
}
