/** The API as an import uses it. The command line and the page each bring their own connection, with their own waits. */

interface Sending {
  readonly method: 'GET' | 'POST'
  /** Path and query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Reply {
  readonly status: number
  /** The value of a JSON answer, else undefined. */
  readonly body: unknown
  /** Seconds, where the server says when to come back. */
  readonly retryAfter: number | null
}

export interface Api {
  /** The answer, whatever its status. Rejects if no answer comes. */
  send(sending: Sending): Promise<Reply>
  /** A refusal that ends the import, as an error to throw. */
  failure(reply: Reply): Error
}

export interface ApiFault {
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly details?: readonly { readonly param: string; readonly message: string }[]
}

/** The error of an answer (contract/02#error-envelope); null if the body has another form. */
export function faultOf({ body }: Reply): ApiFault | null {
  const error = (body as { error?: Partial<ApiFault> } | null | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ApiFault) : null
}
