/** A process that holds streams open: told so over its channel, it reads them, or takes no byte more once they have begun. */
import { connect, type Socket } from 'node:net'
import { constants, setPriority } from 'node:os'

/** What it is told; it answers with the ports that its streams stand at. */
export type Order =
  | { readonly do: 'open'; readonly url: string; readonly tokens: readonly string[]; readonly reads: boolean }
  | { readonly do: 'close' }

const sockets = new Set<Socket>()

// Whoever reads beside must not be slower for what this process does: in earnest it would be on another machine.
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
