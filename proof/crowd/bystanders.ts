/**
 * A process that holds streams open: told so over its channel, it reads them, or never takes a byte once they have begun, and
 * it counts those that the server has cut.
 */
import { connect, type Socket } from 'node:net'

/** What a bystander is told, and what it answers. */
export type Order =
  | { readonly do: 'open'; readonly url: string; readonly tokens: readonly string[]; readonly reads: boolean }
  | { readonly do: 'close' }
export type Report = { readonly open: number; readonly cut: number }

/** Streams of one token. */
const of_token = 5

const sockets = new Set<Socket>()
let cut = 0

function open(url: URL, token: string, reads: boolean): Promise<void> {
  const socket = connect(Number(url.port), url.hostname)
  sockets.add(socket)
  socket.write(
    `GET /v1/events/stream?types[]=workflow.task.created HTTP/1.1\r\nHost: ${url.host}\r\n` +
      `Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  return new Promise((resolve, reject) => {
    let head = ''
    const begin = (chunk: Buffer): void => {
      head += chunk.toString()
      if (!head.includes(': connected')) return
      socket.off('data', begin)
      if (reads) socket.resume()
      else socket.pause()
      resolve()
    }
    socket.on('data', begin)
    socket.once('error', () => socket.destroy())
    socket.once('close', () => {
      if (sockets.delete(socket)) cut++
      reject(new Error(`a stream ended: ${head.slice(0, 200)}`))
    })
  })
}

/** A socket that is not read does not tell that it was cut: what is asked for in the end does. */
function report(): void {
  const said: Report = { open: sockets.size, cut }
  process.send?.(said)
}

process.on('message', async (order: Order) => {
  if (order.do === 'open') {
    cut = 0
    const url = new URL(order.url)
    for (const token of order.tokens) {
      await Promise.all(Array.from({ length: of_token }, () => open(url, token, order.reads)))
    }
  } else {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  report()
})
