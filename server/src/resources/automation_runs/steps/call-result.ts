/** What came of a call to the outside, whoever was called. */

/** What came of a call. */
export type CallResult =
  | {
      readonly ok: true
      readonly output: unknown
      readonly http_status: number | null
      readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null
    }
  | {
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly http_status: number | null
      /** Another attempt may succeed. */
      readonly retryable: boolean
      /** It may have reached whom it was sent to. */
      readonly sent: boolean
      /** Milliseconds that the answer asks to wait. */
      readonly wait_ms: number
      /** Of a step that failed but was answered. */
      readonly output?: unknown
      readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null
    }
