/** The result of an outside call, of http.request, chat.post or ai.step. */
export type CallResult =
  | {
      readonly ok: true
      readonly output: unknown
      readonly http_status: number | null
      /** What a model said, whether or not it fits. */
      readonly said?: string
      readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null
    }
  | {
      readonly ok: false
      readonly code: string
      readonly message: string
      readonly http_status: number | null
      /** Whether another attempt may succeed. */
      readonly retryable: boolean
      /** Whether the request may have arrived. */
      readonly sent: boolean
      /** Milliseconds that the answer asks to wait. */
      readonly wait_ms: number
      /** The answer of a step that failed. */
      readonly output?: unknown
      /** What a model said, whether or not it fits. */
      readonly said?: string
      readonly usage?: { readonly input_tokens: number; readonly output_tokens: number } | null
    }
