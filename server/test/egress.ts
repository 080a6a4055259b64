/** Shared by tests of outgoing requests: local servers, senders, and internal addresses. */
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { after } from 'node:test'
import { Egress, type EgressResult, type Resolve } from '../src/egress/egress.ts'

interface LocalServers {
  /** Resolves with the port when the server listens. */
  listen(server: Server): Promise<number>
  serve(listener: RequestListener): Promise<number>
  /** A port that was free a moment ago. */
  closedPort(): Promise<number>
}

/** Servers on this machine that are closed after the suite. */
export function localServers(): LocalServers {
  const servers: Server[] = []
  after(() => {
    for (const server of servers) server.close()
  })
  async function listen(server: Server): Promise<number> {
    servers.push(server.listen(0, '127.0.0.1'))
    await new Promise((resolve) => server.once('listening', resolve))
    return (server.address() as AddressInfo).port
  }
  async function closedPort(): Promise<number> {
    const server = createTcpServer()
    const port = await listen(server)
    await new Promise((resolve) => server.close(resolve))
    return port
  }
  return { listen, serve: (listener) => listen(createHttpServer(listener)), closedPort }
}

const noAddress: Resolve = async () => []

/** No exceptions: it reaches no internal address. */
export const strict = (resolve: Resolve = noAddress) => new Egress({ allowedHosts: [], allowedCidrs: [], resolve })

/** May reach the loopback. */
export const lenient = (resolve: Resolve = noAddress) =>
  new Egress({ allowedHosts: [], allowedCidrs: ['127.0.0.0/8'], resolve })

/** Sends a small POST; `more` overrides its fields. */
export function send(egress: Egress, url: string, more: object = {}): Promise<EgressResult> {
  const times = { total_ms: 15_000, connect_ms: 5_000, response_bytes_max: 64 * 1024 }
  return egress.send({ url: new URL(url), method: 'POST', headers: {}, body: '{}', ...times, ...more })
}

export const unreachable = { ok: false, failure: 'unreachable' }

/** Internal addresses, which no customer may make the server connect to. */
export const inner4 = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

export const inner6 = [
  '::',
  '::1',
  'fc00::1',
  'fd12:3456:789a::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001:db8::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '2001:0:808:808::1',
  '::ffff:8.8.8.8',
]
