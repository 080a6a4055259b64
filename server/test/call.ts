/** Calls a server as a client does: over a real connection, with the headers that every request needs. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

export interface CallOptions {
  /** The secret to send; null sends none. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Buffer
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** By default each write gets a new one; null sends none. */
  readonly idempotencyKey?: string | null
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends one request. Rejects only if there is no response, whatever its status. */
export function call(base: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const headers: Record<string, string | string[]> = {}
  if (options.key) headers.authorization = `Bearer ${options.key}`
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
  if (payload !== undefined) {
    headers['content-type'] = 'application/json'
    headers['content-length'] = String(Buffer.byteLength(payload))
  }
  if (method !== 'GET' && options.idempotencyKey !== null)
    headers['idempotency-key'] = options.idempotencyKey ?? randomUUID()
  const url = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: url.hostname, port: url.port, method, path, agent, headers: { ...headers, ...options.headers } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const isJson = answer.headers['content-type']?.startsWith('application/json') && text !== ''
          const headers = answer.headers as Record<string, string | undefined>
          try {
            resolve({ status: answer.statusCode as number, headers, text, body: isJson ? JSON.parse(text) : null })
          } catch (error) {
            reject(new Error(`The body is not JSON: ${text}`, { cause: error }))
          }
        })
      },
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}
