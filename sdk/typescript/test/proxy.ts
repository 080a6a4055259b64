/** A real HTTP proxy between the SDK and Atrium that injects one configured fault per request, then forwards. */
import { once } from 'node:events'
import { type Agent, createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Passed {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/**
 * `lost before`: cut before Atrium receives the request. `lost after`: Atrium handles it, the answer is lost. `half`: half of
 * the answer arrives. `silent`: no answer. Otherwise an answer that is not from Atrium.
 */
export type Fault = 'lost before' | 'lost after' | 'half' | 'silent' | 'pass' | Made

interface Made {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface FlakyProxy {
  readonly url: string
  /** Everything that came, in its order. */
  readonly passed: Passed[]
  /** What happens to the next requests. */
  faults: Fault[]
  /** Ends the connections that are open. */
  cut(): void
  close(): Promise<void>
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export async function openProxy(upstream: () => string): Promise<FlakyProxy> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const taken = { method, url, headers, body: Buffer.concat(chunks).toString() }
      proxy.passed.push(taken)
      act(taken, proxy.faults.shift() ?? 'pass', response, upstream())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: FlakyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    faults: [],
    cut: () => server.closeAllConnections(),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return proxy
}

function act(taken: Passed, fault: Fault, response: ServerResponse, upstream: string): void {
  if (fault === 'silent') return
  if (fault === 'lost before') return void response.destroy()
  if (typeof fault === 'object') return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
  const streams = taken.headers.accept === 'text/event-stream'
  const whole = streams ? pipe(taken, response, upstream) : forward(taken, upstream)
  whole?.then(
    ({ status, headers, body }) => {
      if (fault === 'lost after') return response.destroy()
      response.writeHead(status, { ...headers, 'content-length': body.length })
      if (fault === 'pass') return response.end(body)
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
    },
    () => response.destroy(),
  )
}

const agent: { readonly agent: false | Agent } = { agent: false }

function forward({ method, url, headers, body }: Passed, upstream: string): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const sent = request(upstream + url, { method, headers, ...agent }, (answer) => {
    const chunks: Buffer[] = []
    answer.on('data', (chunk: Buffer) => chunks.push(chunk))
    answer.on('error', reject)
    answer.on('end', () =>
      resolve({ status: answer.statusCode as number, headers: answer.headers, body: Buffer.concat(chunks) }),
    )
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

function pipe({ method, url, headers }: Passed, response: ServerResponse, upstream: string): null {
  const sent = request(upstream + url, { method, headers, ...agent }, (answer) => {
    response.writeHead(answer.statusCode as number, answer.headers)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  sent.on('error', () => response.destroy())
  response.on('close', () => sent.destroy())
  sent.end()
  return null
}
