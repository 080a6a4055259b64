/**
 * A bad network between browsers and a server, on the loopback. Browsers hide lost packets: TCP sends them again, so a loss is a
 * wait, and many losses are a broken connection. Here a share of the messages of a WebSocket waits as long as a retransmission,
 * and what follows waits behind it; in place of a smaller share the connection is cut. Requests pass unchanged.
 */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket, WebSocketServer } from 'ws'

export interface NetworkOptions {
  /** The server; it can change, and may not answer. */
  readonly server: () => string
  readonly random: () => number
  /** The share of messages that wait, and of those in whose place the connection is cut. */
  readonly lost: number
  readonly cut: number
}

export interface BadNetwork {
  readonly url: string
  readonly counts: { messages: number; waits: number; cuts: number }
  /** From now on every message passes at once. */
  heal(): void
  close(): Promise<void>
}

/** A retransmission of TCP, and what else a message takes. */
const retransmission_ms = 200
const jitter_ms = 40

export async function openBadNetwork(options: NetworkOptions): Promise<BadNetwork> {
  const counts = { messages: 0, waits: 0, cuts: 0 }
  const state = { isHealed: false }
  const server = createServer((request, response) => passOn(request, response, options.server()))
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, stream, head, (browser) => join(browser, request, options, counts, state))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    heal() {
      state.isHealed = true
    },
    async close() {
      for (const each of sockets.clients) each.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(request: IncomingMessage, response: ServerResponse, server: string): void {
  const { hostname, port } = new URL(server)
  const { method, url, headers } = request
  const onward = forward({ hostname, port, method, path: url, headers } as object, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  onward.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.on('close', () => onward.destroy())
  request.pipe(onward)
}

/** Joins a browser's connection with one to the server. */
function join(
  browser: WebSocket,
  { url, headers }: IncomingMessage,
  { server, random, lost, cut }: NetworkOptions,
  counts: BadNetwork['counts'],
  state: { readonly isHealed: boolean },
): void {
  const { origin = '' } = headers
  const upstream = new WebSocket(`${server().replace(/^http/, 'ws')}${url}`, { headers: { origin } })
  const end = () => {
    browser.terminate()
    upstream.terminate()
  }
  const opened = new Promise<void>((resolve) => upstream.once('open', resolve))
  const carry = (from: WebSocket, to: WebSocket) => {
    // Messages stay in their order.
    let before: Promise<unknown> = opened
    from.on('message', (data, isBinary) => {
      counts.messages++
      const chance = state.isHealed ? 1 : random()
      const isCut = chance < cut
      const isLost = !isCut && chance < cut + lost
      if (isCut) counts.cuts++
      if (isLost) counts.waits++
      const wait = isLost ? retransmission_ms + random() * jitter_ms : state.isHealed ? 0 : random() * jitter_ms
      before = before.then(async () => {
        await sleep(wait)
        if (isCut) end()
        else if (to.readyState === WebSocket.OPEN) to.send(data, { binary: isBinary })
      })
    })
    // The reason of an end follows the last message.
    from.on('close', (code, reason) => void before.then(() => close(to, code, reason)))
    from.on('error', end)
  }
  carry(browser, upstream)
  carry(upstream, browser)
}

/** Passes on the end of the other side; codes below 3000 other than these stand for an end without one. */
function close(socket: WebSocket, code: number, reason: Buffer): void {
  if (socket.readyState !== WebSocket.OPEN) socket.terminate()
  else if (code === 1000 || (code >= 1007 && code <= 1014) || code >= 3000) socket.close(code, reason)
  else socket.terminate()
}
