/**
 * WebSockets: the live canvas of a board at `/app/api/boards/{id}/live`. Only this file knows the library. A browser must be on
 * a page of the console, which its `Origin` says; the client then proves who it is by its first message, never by a cookie.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Services } from '../api/services.ts'
import { originsOf } from '../console/origins.ts'
import { Client } from '../rooms/client.ts'
import { room_limits } from '../rooms/limits.ts'
import { Rooms } from '../rooms/rooms.ts'

const live_path = /^\/app\/api\/boards\/(brd_[0-9A-HJKMNP-TV-Z]{26})\/live$/

/** Whether a request that asks for another protocol gets it. Any other is answered as if it had not asked. */
export function isUpgrade({ url, headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && live_path.test(url ?? '')
}

export interface Sockets {
  /** Disconnects all clients. */
  close(): Promise<void>
}

export function addSockets(server: Server, services: Services): Sockets {
  const rooms = new Rooms(services)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: room_limits.room_frame_bytes_max })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const board = live_path.exec(request.url ?? '')?.[1]
    const { origin } = request.headers
    const isForeign = origin !== undefined && !originsOf(services.settings.publicUrl).includes(origin)
    if (board === undefined || isForeign) {
      stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, stream, head, (socket) => serve(services, rooms, board, socket))
  })
  return {
    async close() {
      await rooms.close()
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

function serve(services: Services, rooms: Rooms, board: string, socket: WebSocket): void {
  const client = new Client(services, rooms, board, {
    send: (text) => socket.send(text, ignoreLoss),
    behind: () => socket.bufferedAmount,
    close: (code, reason) => socket.close(code, reason.slice(0, 120)),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  })
  let isAlive = true
  const pings = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
    socket.ping(undefined, undefined, ignoreLoss)
  }, room_limits.room_ping_ms)
  pings.unref()
  socket.on('pong', () => {
    isAlive = true
  })
  socket.on('message', (data, isBinary) => {
    isAlive = true
    if (isBinary) socket.close(1003, 'Send text.')
    else client.receive(data.toString())
  })
  // A frame over the limit or broken UTF-8 also ends in `close`.
  socket.on('error', () => {})
  socket.on('close', () => {
    clearInterval(pings)
    client.gone()
  })
}

/** A message that cannot be sent is noticed by the end of the connection. */
function ignoreLoss(): void {}
