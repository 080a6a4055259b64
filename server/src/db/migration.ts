import type { Dialect } from './dialect.ts'

/** One step from an earlier state of the tables to the next. */
export interface Migration {
  readonly name: string
  /** Data definition in the subset that both engines share, or each engine's own. */
  readonly sql: string | Readonly<Record<Dialect, string>>
}
