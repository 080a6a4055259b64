/** Stands between a client and a server, and cuts the line before a write reaches the server, or after it. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Cut = 'before' | 'after'

/** An answer that the server did not give. */
export interface Refused {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export class Gate {
  /** Called for each write; its result says what happens to the line. */
  onWrite: (path: string) => Cut | Refused | null = () => null
  /** The line was cut. */
  onCut: () => void = () => {}
  private readonly target: URL
  private readonly server = createServer((from, to) => this.pass(from, to))

  constructor(target: string) {
    this.target = new URL(target)
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private pass(from: IncomingMessage, to: ServerResponse): void {
    const chunks: Buffer[] = []
    from.on('data', (chunk: Buffer) => chunks.push(chunk))
    from.on('end', () => {
      const act = from.method === 'GET' ? null : this.onWrite(String(from.url))
      if (act === 'before') return this.cut(from.socket)
      if (act !== null && act !== 'after') {
        to.writeHead(act.status, { 'content-type': 'application/json', ...act.headers }).end(JSON.stringify(act.body))
        return
      }
      const { hostname: host, port } = this.target
      const { method = 'GET', url: path = '/', headers } = from
      const sent = request({ host, port, method, path, headers }, (answer) => {
        if (act === 'after') {
          // The server has done it, but no answer arrives.
          answer.resume().on('end', () => this.cut(from.socket))
          return
        }
        to.writeHead(answer.statusCode as number, answer.headers)
        answer.pipe(to)
      })
      sent.on('error', () => from.socket.destroy())
      sent.end(Buffer.concat(chunks))
    })
    from.on('error', () => {})
  }

  private cut(socket: Socket): void {
    this.onCut()
    socket.destroy()
  }
}
