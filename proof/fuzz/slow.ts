/**
 * Clients that never complete their headers and send a byte now and then. The server must close each after its time limit, and
 * no other client may notice.
 */
import { connect, type Socket } from 'node:net'
import { http_limits } from '../../server/src/http/limits.ts'
import type { Tally } from './tally.ts'

const drip_ms = 500
const clients = 40
/** The interval of the server's checks, and a margin for a busy machine. */
const grace_ms = 60_000

interface Client {
  readonly socket: Socket
  readonly since: number
}

export class SlowClients {
  /** How many the server closed. */
  ended = 0
  private readonly port: number
  private readonly tally: Tally
  private readonly clients = new Set<Client>()
  private readonly timer: NodeJS.Timeout

  constructor(port: number, tally: Tally) {
    this.port = port
    this.tally = tally
    for (let i = 0; i < clients; i++) this.open()
    this.timer = setInterval(() => this.drip(), drip_ms).unref()
  }

  close(): void {
    clearInterval(this.timer)
    for (const { socket } of this.clients) socket.removeAllListeners('close').destroy()
  }

  private open(): void {
    const socket = connect({ port: this.port, host: '127.0.0.1' })
    const client = { socket, since: performance.now() }
    this.clients.add(client)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.clients.delete(client)
      this.ended++
      this.open()
    })
    socket.resume().write('GET /v1 HTTP/1.1\r\nHost: a\r\nX-Slow: ')
  }

  private drip(): void {
    for (const { socket, since } of this.clients) {
      if (socket.writable) socket.write('a')
      const age = performance.now() - since
      if (age < http_limits.request_headers_ms + grace_ms) continue
      this.tally.violated('slow', `the server has waited for headers for ${Math.round(age)} ms`)
    }
  }
}
