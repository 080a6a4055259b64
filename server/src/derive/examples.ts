/** Executed examples: each operation's request and answer, recorded in `docs/examples.json` by `npm run generate`. */
export interface RecordedExample {
  readonly request: {
    readonly params: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, string>>
    /** Absent if none is sent. */
    readonly body?: unknown
    /** Only of writes. */
    readonly idempotency_key?: string
  }
  readonly response: {
    readonly status: number
    readonly etag?: string
    /** Absent for streams. */
    readonly body?: unknown
    /** The start of a stream. */
    readonly text?: string
  }
}

export interface RecordedExamples {
  /** By operation id. */
  readonly operations: Readonly<Record<string, RecordedExample>>
  /** The events that the calls emitted, by type. */
  readonly events: Readonly<Record<string, object>>
}
