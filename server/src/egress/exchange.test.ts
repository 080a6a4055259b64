import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { Egress } from './egress.ts'

const servers: Server[] = []
after(() => {
  for (const server of servers) server.close()
})

/** A receiver that counts the connections it gets, and can close them. */
async function receiver(listener: RequestListener = (_request, response) => response.end('ok')) {
  const sockets: Socket[] = []
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  server.on('connection', (socket) => sockets.push(socket))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://receiver.test:${port}/`, sockets }
}

function sender(addresses: readonly string[][] = [['127.0.0.1']]) {
  let lookups = 0
  const resolve = async () => addresses[Math.min(lookups++, addresses.length - 1)] as string[]
  const egress = new Egress({ allowedHosts: [], allowedCidrs: ['127.0.0.0/8'], resolve })
  const times = { total_ms: 15_000, connect_ms: 5_000, response_bytes_max: 1024 }
  return async (url: string, owner?: string) => {
    const more = owner === undefined ? {} : { owner }
    const answer = await egress.send({ url: new URL(url), method: 'POST', headers: {}, body: '{}', ...times, ...more })
    assert.deepEqual(answer.ok && answer.status, 200)
  }
}

describe('connections to other hosts', () => {
  it('are reused by the requests of an owner, one at a time', async () => {
    const { url, sockets } = await receiver()
    const send = sender()
    for (let i = 0; i < 3; i++) await send(url, 'one')
    assert.equal(sockets.length, 1)
  })

  it('are not shared with another owner', async () => {
    const { url, sockets } = await receiver()
    const send = sender()
    for (const owner of ['one', 'two', 'one', 'two']) await send(url, owner)
    assert.equal(sockets.length, 2)
  })

  it('are new for a request without owner', async () => {
    const { url, sockets } = await receiver()
    const send = sender()
    for (const owner of ['one', undefined, undefined]) await send(url, owner)
    assert.equal(sockets.length, 3)
  })

  it('are not reused after the name’s addresses changed', async () => {
    const { url, sockets } = await receiver()
    const send = sender([['127.0.0.1'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']])
    for (let i = 0; i < 3; i++) await send(url, 'one')
    assert.equal(sockets.length, 2)
  })

  it('are not reused after an answer that was not read to its end', async () => {
    const { url, sockets } = await receiver((_request, response) => response.end('x'.repeat(100_000)))
    const send = sender()
    for (let i = 0; i < 2; i++) await send(url, 'one')
    assert.equal(sockets.length, 2)
  })

  it('that the receiver closes on the next request are replaced, and the request arrives', async () => {
    const arrived: number[] = []
    const { url, sockets } = await receiver((request, response) => {
      const connection = sockets.indexOf(request.socket)
      arrived.push(connection)
      if (arrived.length === 2) request.socket.resetAndDestroy()
      else response.end('ok')
    })
    const send = sender()
    for (let i = 0; i < 2; i++) await send(url, 'one')
    assert.deepEqual(arrived, [0, 0, 1])
  })

  it('are not reused if the receiver asks to close them', async () => {
    const { url, sockets } = await receiver((_request, response) =>
      response.writeHead(200, { Connection: 'close' }).end(),
    )
    const send = sender()
    for (let i = 0; i < 2; i++) await send(url, 'one')
    assert.equal(sockets.length, 2)
  })
})
