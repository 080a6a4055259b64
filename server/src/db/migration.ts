import type { Dialect } from './dialect.ts'

/** One step from an earlier state of the tables to the next. */
export interface Migration {
  readonly name: string
  /**
   * What stands on disk before the step itself begins, for an engine that commits the step in parts: a transaction of its
   * own, which is repeated when the step is begun again.
   */
  readonly first?: Readonly<Partial<Record<Dialect, string>>>
  /** Data definition in the subset that both engines share, or each engine's own. */
  readonly sql: string | Readonly<Record<Dialect, string>>
}
