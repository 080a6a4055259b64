/**
 * A TCP proxy before PostgreSQL that cuts connections where it hurts: anywhere, just before a COMMIT reaches the
 * server, and just after it has, so that only the answer is lost.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Proxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** How often each kind of cut was made. */
  readonly cuts: Record<'anywhere' | 'before commit' | 'after commit', number>
  /** Whether it cuts; it begins without. */
  cutting: boolean
  close(): Promise<void>
}

/** A simple query as pg sends it: its text and a zero. */
const commit = Buffer.from('commit\0')

export async function openProxy(databaseUrl: string, port = 0): Promise<Proxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const cuts = { anywhere: 0, 'before commit': 0, 'after commit': 0 }
  const proxy = { cuts, cutting: false }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.end()
      })
    }
    upstream.on('data', (chunk) => {
      if (proxy.cutting && Math.random() < 0.002) {
        cuts.anywhere++
        client.destroy()
      } else client.write(chunk)
    })
    client.on('data', (chunk) => {
      const chance = proxy.cutting && chunk.includes(commit) ? Math.random() : 1
      if (chance < 0.05) {
        cuts['before commit']++
        client.resetAndDestroy()
        upstream.destroy()
      } else if (chance < 0.1) {
        cuts['after commit']++
        upstream.end(chunk)
        client.destroy()
      } else upstream.write(chunk)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(proxy, {
    url: url.href,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  })
}
