/** A process that holds streams open. On command it reads them, or stops reading once they have begun. */
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

/** Commands; the answer is the local ports of its streams. */
export type Order =
  | { readonly do: 'open'; readonly url: string; readonly tokens: readonly string[]; readonly reads: boolean }
  | { readonly do: 'close' }

const sockets = new Set<Socket>()

// The process must not slow down the readers beside it; in production it would run on another machine.
setPriority(constants.priority.PRIORITY_LOW)

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
    socket.once('close', () => reject(new Error(`a stream ended: ${head.slice(0, 200)}`)))
  })
}

process.on('message', async (order: Order) => {
  if (order.do === 'open') {
    const url = new URL(order.url)
    for (const token of order.tokens) await open(url, token, order.reads)
  } else {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  process.send?.([...sockets].map(({ localPort }) => localPort))
})
