/** Many consumers of the event stream in one process, cheap enough that their times are the server's. */
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** The custom field with the sending time, in microseconds of this process's clock. */
export const sent_field = 'sent'
const marker = Buffer.from(`"${sent_field}":`)
const closing = '}'.charCodeAt(0)
const comma = ','.charCodeAt(0)

export function sentNow(): number {
  return Math.round(performance.now() * 1000)
}

export class StreamClients {
  /** Milliseconds from sending a task to each arrival of its event. */
  readonly times: number[] = []
  private readonly sockets: Socket[] = []
  private broken: string | null = null

  /** Opens another stream of task events; resolves when it has begun. */
  async open(url: string, token: string): Promise<void> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    this.sockets.push(socket)
    socket.setNoDelay(true)
    socket.write(
      `GET /v1/events/stream?types[]=workflow.task.created HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    )
    await new Promise<void>((resolve, reject) => {
      let head = ''
      const begin = (chunk: Buffer) => {
        head += chunk.toString()
        if (!head.includes(': connected')) {
          if (head.includes('\r\n\r\n') && !head.startsWith('HTTP/1.1 200')) reject(new Error(head))
          return
        }
        socket.off('data', begin)
        this.listen(socket)
        resolve()
      }
      socket.on('data', begin)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error(`a stream ended: ${head}`)))
    })
  }

  private listen(socket: Socket): void {
    // A chunk may end within the number.
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      const now = performance.now()
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (;;) {
        const at = data.indexOf(marker, from)
        if (at < 0) break
        const end = numberEnd(data, at + marker.length)
        if (end < 0) break
        this.times.push(now - Number(data.toString('latin1', at + marker.length, end)) / 1000)
        from = end
      }
      rest = data.subarray(Math.max(from, data.length - 64))
    })
    socket.once('close', () => {
      this.broken ??= 'a stream ended early'
    })
  }

  /** Resolves when `count` events have arrived in total; rejects after `wait_ms`. */
  async arrived(count: number, wait_ms: number): Promise<void> {
    const until = performance.now() + wait_ms
    while (this.times.length < count) {
      if (this.broken !== null) throw new Error(this.broken)
      if (performance.now() > until) throw new Error(`${this.times.length} of ${count} events arrived`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    if (this.times.length > count) throw new Error(`${this.times.length} events arrived, ${count} were sent`)
  }

  close(): void {
    for (const socket of this.sockets) {
      socket.removeAllListeners('close')
      socket.destroy()
    }
  }
}

function numberEnd(data: Buffer, from: number): number {
  for (let i = from; i < data.length; i++) if (data[i] === closing || data[i] === comma) return i
  return -1
}
