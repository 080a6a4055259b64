/** A server with one planted fault: a proxy before a sound server that changes requests or answers. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a fault can use besides the request and the answer. */
interface Context {
  /** Sends a request to the sound server. */
  readonly ask: (sent: Sent) => Promise<Answer>
  /** The same with the key that may do everything. */
  readonly askAsOwner: (sent: Sent) => Promise<Answer>
  readonly owner: string
  /** Empty when the fault is planted. */
  readonly memory: Map<string, number | string>
}

export interface Fault {
  /** The request that the sound server gets instead. */
  readonly request?: (sent: Sent, context: Context) => Sent
  /** The answer that the client gets instead. */
  readonly reply?: (answer: Answer, sent: Sent, context: Context) => Answer | Promise<Answer>
}

export interface FaultyServer {
  readonly url: string
  plant(fault: Fault): void
  close(): Promise<void>
}

/** `owner` is the key for `askAsOwner`. */
export async function openFaultyServer(sound: string, owner: string): Promise<FaultyServer> {
  let fault: Fault = {}
  const memory = new Map<string, number | string>()
  const ask = (sent: Sent) => forward(sound, sent)
  const context: Context = { ask, askAsOwner: (sent) => ask(withKey(sent, owner)), owner, memory }
  const server = createServer(async (incoming, response) => {
    const sent = await readRequest(incoming)
    const answered = await ask(fault.request?.(sent, context) ?? sent)
    const { status, headers, body } = (await fault.reply?.(answered, sent, context)) ?? answered
    const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, { ...headers, ...length })
    response.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plant(planted) {
      fault = planted
      memory.clear()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readRequest(incoming: IncomingMessage): Promise<Sent> {
  const { method = 'GET', url = '/' } = incoming
  return { method, url, headers: headersOf(incoming), body: await textOf(incoming) }
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { connection: _connection, 'transfer-encoding': _encoding, 'keep-alive': _alive, ...others } = headers
  // Answers are changed as text, so the sound server must not compress them.
  const { 'accept-encoding': _coding, ...kept } = others
  return Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, String(value)]))
}

/** Of an event stream only the first chunk: it does not end. */
async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of message) {
    chunks.push(chunk as Buffer)
    if (message.headers['content-type']?.startsWith('text/event-stream')) break
  }
  return Buffer.concat(chunks).toString()
}

function forward(sound: string, { method, url, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = headers['content-length'] === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const own = { ...headers, ...length, host: new URL(sound).host }
    const sent = request(sound + url, { method, headers: own }, (answer) => {
      textOf(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: headersOf(answer), body: text }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export function withKey(sent: Sent, key: string): Sent {
  return withHeader(sent, 'authorization', `Bearer ${key}`)
}

export function withHeader<T extends Sent | Answer>(message: T, name: string, value: string): T {
  return { ...message, headers: { ...message.headers, [name]: value } }
}

export function withoutHeader<T extends Sent | Answer>(message: T, name: string): T {
  const { [name]: _dropped, ...headers } = message.headers
  return { ...message, headers }
}

// biome-ignore lint/suspicious/noExplicitAny: a fault changes JSON of every shape
type Change = (body: any) => void

/** The answer with its JSON changed; any other answer as it is. */
export function changeAnswer(answer: Answer, change: Change): Answer {
  if (!answer.headers['content-type']?.startsWith('application/json') || answer.body === '') return answer
  const body = JSON.parse(answer.body)
  change(body)
  return { ...answer, body: JSON.stringify(body) }
}

/** The request with its JSON object changed; any other request as it is. */
export function changeBody(sent: Sent, change: Change): Sent {
  let body: unknown
  try {
    body = JSON.parse(sent.body)
  } catch {
    return sent
  }
  if (typeof body !== 'object' || body === null) return sent
  change(body)
  return { ...sent, body: JSON.stringify(body) }
}

/** The request with its query changed. */
export function changeQuery(sent: Sent, change: (query: URLSearchParams) => void): Sent {
  const [path = '', search = ''] = sent.url.split('?', 2)
  const query = new URLSearchParams(search)
  change(query)
  const isSame = query.toString() === new URLSearchParams(search).toString()
  return isSame ? sent : { ...sent, url: query.size === 0 ? path : `${path}?${query}` }
}
