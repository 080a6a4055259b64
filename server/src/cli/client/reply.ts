/** What a server answered. */
import { cli_limits } from '../limits.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The value of a JSON answer, else undefined. */
  readonly body: unknown
  /** Seconds, where the server says when to come back. */
  readonly retryAfter: number | null
}

interface Envelope {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly request_id?: string
  readonly details?: readonly { readonly param: string; readonly message: string }[]
}

/** The error of an answer's body (contract/02#error-envelope); null if the body has another form. */
export function envelopeOf(reply: Pick<Reply, 'body'>): Envelope | null {
  const error = (reply.body as { error?: Partial<Envelope> } | null | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as Envelope) : null
}

/** Reads an answer to its end. */
export async function readReply(answer: Response): Promise<Reply> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength
    if (size > cli_limits.client_answer_bytes_max) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: isJson ? parsed(text) : undefined,
    retryAfter: retryAfterOf(answer.headers),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `Retry-After` in seconds; what stands between may send it as a date (RFC 9110 §10.2.3). */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after')
  if (text === null) return null
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}
