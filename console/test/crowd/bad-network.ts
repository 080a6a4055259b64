/**
 * A bad network between browsers and a server, on the loopback. Browsers hide lost packets: TCP sends them again, so a loss is a
 * wait, for what follows, too. Here a share of the messages of a WebSocket arrives as late as a retransmission, and none before
 * an earlier one. Each connection is cut after a while.
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
  /** The share of messages that are lost at first. */
  readonly lost: number
  /** How long a connection stands, on average. */
  readonly life_ms: number
}

export interface BadNetwork {
  readonly url: string
  readonly counts: { messages: number; waits: number; cuts: number }
  close(): Promise<void>
}

/** A retransmission of TCP, and what else a message takes. */
const retransmission_ms = 200
const jitter_ms = 40

export async function openBadNetwork(options: NetworkOptions): Promise<BadNetwork> {
  const counts = { messages: 0, waits: 0, cuts: 0 }
  const server = createServer((request, response) => passOn(request, response, options.server()))
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, stream, head, (browser) => join(browser, request, options, counts))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
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
  { server, random, lost, life_ms }: NetworkOptions,
  counts: BadNetwork['counts'],
): void {
  const { origin = '' } = headers
  const upstream = new WebSocket(`${server().replace(/^http/, 'ws')}${url}`, { headers: { origin } })
  const end = () => {
    browser.terminate()
    upstream.terminate()
  }
  const opened = new Promise<void>((resolve) => upstream.once('open', resolve))
  // Breaks are as likely at any time, as for packets that do not come through again and again.
  const cut = setTimeout(
    () => {
      counts.cuts++
      end()
    },
    -Math.log(1 - random()) * life_ms,
  )
  browser.once('close', () => clearTimeout(cut))
  const carry = (from: WebSocket, to: WebSocket) => {
    // Messages stay in their order.
    let before: Promise<unknown> = opened
    from.on('message', (data, isBinary) => {
      counts.messages++
      const isLost = random() < lost
      if (isLost) counts.waits++
      const travel = sleep(random() * jitter_ms + (isLost ? retransmission_ms : 0))
      before = Promise.all([before, travel]).then(() => {
        if (to.readyState === WebSocket.OPEN) to.send(data, { binary: isBinary })
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
