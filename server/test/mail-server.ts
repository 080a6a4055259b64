/** A real SMTP server on the loopback that keeps what it receives, and refuses when a test says so. */
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A mail as received. */
export interface Received {
  readonly to: readonly string[]
  /** Header fields by lower-case name, unfolded. */
  readonly headers: ReadonlyMap<string, string>
  readonly text: string
  readonly raw: string
}

export class MailServer {
  readonly received: Received[] = []
  /** The answer to the next mails: their refusal, or null to accept them. */
  refusal: { readonly code: number; readonly message: string } | null = null
  readonly #arrivals = new EventEmitter()
  readonly #server: SMTPServer

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      onData: (stream, session, callback) => {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          const { refusal } = this
          if (refusal !== null)
            return callback(Object.assign(new Error(refusal.message), { responseCode: refusal.code }))
          const to = session.envelope.rcptTo.map(({ address }) => address)
          this.received.push(read(Buffer.concat(chunks).toString('utf8'), to))
          this.#arrivals.emit('mail')
          return callback()
        })
      },
    })
  }

  static async open(): Promise<MailServer> {
    const server = new MailServer()
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  /** The next mail, whose subject may be asked for, as soon as it has come. */
  async next(subject = /^/): Promise<Received> {
    for (;;) {
      const at = this.received.findIndex(({ headers }) => subject.test(headers.get('subject') ?? ''))
      const [mail] = at < 0 ? [] : this.received.splice(at, 1)
      if (mail !== undefined) return mail
      await once(this.#arrivals, 'mail')
    }
  }

  /** What has come since the last call. */
  take(): Received[] {
    return this.received.splice(0)
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}

function read(raw: string, to: readonly string[]): Received {
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ')
  const headers = new Map(
    head
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = raw.slice(end + 4)
  const isQuoted = headers.get('content-transfer-encoding') === 'quoted-printable'
  return { to, headers, text: isQuoted ? unquoted(body) : body, raw }
}

/** Quoted-printable (RFC 2045) as text. */
function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
