/**
 * A TCP proxy in front of PostgreSQL that cuts connections at critical moments: anywhere, just before a COMMIT reaches
 * the server, and just after it, so that only the answer is lost.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  /** The database's URL through the proxy. */
  readonly url: string
  /** The number of cuts of each kind. */
  readonly cuts: Record<'anywhere' | 'before commit' | 'after commit', number>
  /** The probability of a cut, from 0 to 1; starts with 0. */
  chance: number
  /** Statements that were sent through it; those that share a transaction without a pause count once. */
  readonly statements: number
  /** Leads new connections to another server, and cuts those that lead to the former one. */
  leadTo(databaseUrl: string): void
  close(): Promise<void>
}

/** A simple query as pg sends it: its text and a zero byte. */
const commit = 'commit\0'

export async function openProxy(databaseUrl: string, port = 0): Promise<CuttingProxy> {
  let target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const cuts = { anywhere: 0, 'before commit': 0, 'after commit': 0 }
  const proxy = { cuts, chance: 0, statements: 0 }
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.end()
      })
    }
    upstream.on('data', (chunk) => {
      if (Math.random() < proxy.chance / 20) {
        cuts.anywhere++
        client.destroy()
      } else client.write(chunk)
    })
    const count = statementCounter()
    client.on('data', (chunk: Buffer) => {
      proxy.statements += count(chunk)
      const drawn = chunk.includes(commit) ? Math.random() : 1
      if (drawn < proxy.chance / 2) {
        cuts['before commit']++
        client.resetAndDestroy()
        upstream.destroy()
      } else if (drawn < proxy.chance) {
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
    leadTo(other: string) {
      target = new URL(other)
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  })
}

/** Counts the simple queries and the ends of extended ones in what a client sends. The first message has no type. */
function statementCounter(): (chunk: Buffer) => number {
  let rest: Buffer = Buffer.alloc(0)
  let typed = 0
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let found = 0
    while (rest.length >= typed + 4) {
      const end = typed + rest.readUInt32BE(typed)
      if (rest.length < end) break
      if (typed === 1 && 'QS'.includes(String.fromCharCode(rest[0] as number))) found++
      rest = rest.subarray(end)
      typed = 1
    }
    return found
  }
}
