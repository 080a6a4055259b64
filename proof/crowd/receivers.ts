/**
 * A process that receives webhooks for many endpoints, distinguished by path: `/good/7`, `/hang/8`, `/refuse/9`, `/drip/10`. On
 * command the bad ones behave, or do what their path says.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const bad_kinds = ['hang', 'refuse', 'drip'] as const

/** Commands. The answer is the ports, or the milliseconds from sending to each arrival at a good endpoint. */
export type Order =
  | { readonly do: 'listen' }
  | { readonly do: 'count'; readonly misbehave: boolean; readonly expected: number }

/** For the refusing endpoints, which refuse by not listening. */
let refusing: Server | null = null
let isBad = false
let times: number[] = []
let expected = Number.POSITIVE_INFINITY

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

const receive: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const kind = request.url?.split('/')[1] ?? ''
    const isVerification = request.headers['service-event-type'] === 'platform.webhook_endpoint.verify'
    if (isVerification || !isBad || kind === 'good') response.writeHead(204).end()
    else misbehave(kind, response)
    if (isVerification || kind !== 'good') return
    const { sent } = JSON.parse(Buffer.concat(chunks).toString()).data.object.custom_fields
    times.push((microseconds() - Number(sent)) / 1000)
    if (times.length === expected) process.send?.(times)
  })
}

function misbehave(kind: string, response: ServerResponse): void {
  if (kind !== 'drip') return
  response.writeHead(200)
  const drip = setInterval(() => response.write('.'), 200)
  response.on('close', () => clearInterval(drip))
}

function listen(port: number): Promise<Server> {
  const server = createServer(receive)
  return new Promise((resolve) => server.listen({ port, host: '127.0.0.1', backlog: 4096 }, () => resolve(server)))
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

let refusingPort = 0

async function refuse(refuses: boolean): Promise<void> {
  if (refuses) {
    refusing?.close()
    refusing?.closeAllConnections()
    refusing = null
  } else refusing ??= await listen(refusingPort)
}

process.on('message', async (order: Order) => {
  if (order.do === 'listen') {
    const server = await listen(0)
    refusing = await listen(0)
    refusingPort = portOf(refusing)
    process.send?.([portOf(server), refusingPort])
    return
  }
  times = []
  expected = order.expected
  isBad = order.misbehave
  await refuse(isBad)
  process.send?.('counting')
})
