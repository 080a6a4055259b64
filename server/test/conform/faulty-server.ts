/** A server with one planted fault: it passes requests on to a sound one, and spoils what it is told to spoil. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Fault {
  /** What the sound server is asked instead. */
  readonly request?: (asked: Asked) => Asked
  /** What the client is answered instead; `ask` asks the sound server once more. */
  readonly reply?: (
    answered: Answered,
    asked: Asked,
    ask: (asked: Asked) => Promise<Answered>,
  ) => Answered | Promise<Answered>
}

export interface FaultyServer {
  readonly url: string
  fault: Fault
  close(): Promise<void>
}

export async function openFaultyServer(sound: string): Promise<FaultyServer> {
  const ask = (asked: Asked) => pass(sound, asked)
  const server = createServer(async (incoming, response) => {
    const asked = await read(incoming)
    const { fault } = faulty
    const changed = fault.request?.(asked) ?? asked
    const answered = await ask(changed)
    const { status, headers, body } = (await fault.reply?.(answered, asked, ask)) ?? answered
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const faulty: FaultyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: {},
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return faulty
}

async function read(incoming: IncomingMessage): Promise<Asked> {
  const { method = 'GET', url = '/' } = incoming
  return { method, url, headers: plain(incoming), body: await textOf(incoming) }
}

function plain({ headers }: IncomingMessage): Record<string, string> {
  const { connection: _connection, 'transfer-encoding': _encoding, 'keep-alive': _alive, ...kept } = headers
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]))
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function pass(sound: string, { method, url, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(sound + url, { method, headers: { ...headers, host: new URL(sound).host } }, (answer) => {
      textOf(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: plain(answer), body: text }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The answer with its JSON changed, where it is JSON and `change` changes it. */
// biome-ignore lint/suspicious/noExplicitAny: a fault spoils answers of every shape
export function spoilt(answered: Answered, change: (body: any) => void): Answered {
  if (!answered.headers['content-type']?.startsWith('application/json') || answered.body === '') return answered
  const body = JSON.parse(answered.body)
  change(body)
  return { ...answered, body: JSON.stringify(body) }
}

/** The answer without a header. */
export function without(answered: Answered, name: string): Answered {
  const { [name]: _dropped, ...headers } = answered.headers
  return { ...answered, headers }
}
