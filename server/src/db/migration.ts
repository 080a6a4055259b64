/** One step from an earlier state of the tables to the next. */
export interface Migration {
  readonly name: string
  /** Data definition in the subset that both engines share. */
  readonly sql: string
}
