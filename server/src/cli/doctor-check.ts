/** What one check of the doctor found. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly found: string
  /** Null if nothing is to be done. */
  readonly advice: string | null
}
