/** Examples that were executed: every operation's call and answer, recorded in `docs/examples.json` by `npm run generate`. */
export interface RecordedExample {
  readonly request: {
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Absent when none is sent. */
    readonly body?: unknown
    /** Of a write. */
    readonly idempotency_key?: string
  }
  readonly response: {
    readonly status: number
    readonly etag?: string
    /** Absent for a stream. */
    readonly body?: unknown
    /** The beginning of a stream. */
    readonly text?: string
  }
}

export interface RecordedExamples {
  /** By operation id. */
  readonly operations: Readonly<Record<string, RecordedExample>>
  /** What the calls emitted, by type. */
  readonly events: Readonly<Record<string, object>>
}
