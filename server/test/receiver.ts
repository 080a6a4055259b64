/** A customer's webhook receiver: an HTTP server that keeps each request byte for byte and responds as the test sets it. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  readonly event: any
}

export type Respond = (received: Received, response: ServerResponse) => void

export interface Receiver {
  readonly url: string
  /** All requests but verifications, in the order of arrival. */
  readonly events: Received[]
  readonly verifications: Received[]
  /** Responds to events, by default with 204. May be set at any time. */
  respond: Respond
  /** Responds to verifications, by default with 204. */
  verify: Respond
  /** Resolves when `count` events have arrived in total. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

const accept: Respond = (_received, response) => response.writeHead(204).end()

/** Responds with a status, headers and a body. */
export function answer(status: number, headers: Record<string, string> = {}, body = ''): Respond {
  return (_received, response) => response.writeHead(status, headers).end(body)
}

export async function openReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const received = { headers: request.headers, body, event: JSON.parse(body) }
      const isVerification = received.event.type === 'platform.webhook_endpoint.verify'
      const list = isVerification ? receiver.verifications : receiver.events
      list.push(received)
      const respond = isVerification ? receiver.verify : receiver.respond
      respond(received, response)
      for (const check of waiting) check()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events: [],
    verifications: [],
    respond: accept,
    verify: accept,
    received: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (receiver.events.length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return receiver
}
