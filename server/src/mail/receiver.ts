/**
 * Receives mail by SMTP, behind the mail server of the host, which does what the internet needs: TLS, queues, filters. The only user of
 * smtp-server. A mail is accepted with 250 after its comment is committed; what may work later is answered with 4xx, so the sender
 * tries again, and what never will with 5xx. Recipients that do not exist and those that are not allowed get the same answer.
 */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { mail_limits } from './limits.ts'

/** The end of a mail: accepted, or an answer of SMTP with its enhanced status code (RFC 3463). */
export type Received = 'accepted' | SmtpRefusal

export interface SmtpRefusal {
  readonly code: number
  readonly message: string
}

export const unknown_recipient: SmtpRefusal = { code: 550, message: '5.1.1 There is no such address.' }
export const later: SmtpRefusal = { code: 451, message: '4.3.0 Try again later.' }
const too_large: SmtpRefusal = { code: 552, message: '5.3.4 The mail is too large.' }
const one_recipient: SmtpRefusal = { code: 452, message: '4.5.3 Send one recipient at a time.' }
const no_sender: SmtpRefusal = { code: 550, message: '5.7.1 Mail without a sender is not accepted.' }
const too_many_strangers: SmtpRefusal = { code: 421, message: '4.7.0 Too many unknown addresses.' }

export interface ReceiverHandlers {
  /** Null if the recipient may be written to. Never rejects. */
  recipient(address: string): Promise<SmtpRefusal | null>
  /** Never rejects. */
  mail(recipient: string, raw: Uint8Array): Promise<Received>
}

export interface Receiver {
  readonly port: number
  close(): Promise<void>
}

/** Rejects if the address cannot be listened on. */
export async function openReceiver(host: string, port: number, handlers: ReceiverHandlers): Promise<Receiver> {
  const server = serverOf(handlers)
  // Errors of connections end them; the server goes on.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  server.on('error', () => {})
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function serverOf(handlers: ReceiverHandlers): SMTPServer {
  const strangers = new WeakMap<SMTPServerSession, number>()
  let reading = 0
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    banner: 'Atrium',
    size: mail_limits.inbound_bytes_max,
    maxClients: mail_limits.inbound_connections_max,
    socketTimeout: mail_limits.inbound_silence_ms,
    closeTimeout: mail_limits.mail_connect_ms,
    // Bounces have an empty sender: an answer to them would be one to a program.
    onMailFrom: ({ address }, _session, callback) => callback(address === '' ? errorOf(no_sender) : null),
    onRcptTo({ address }, session, callback) {
      if (session.envelope.rcptTo.length > 0) return callback(errorOf(one_recipient))
      const wrong = strangers.get(session) ?? 0
      if (wrong >= mail_limits.inbound_strangers_max) return callback(errorOf(too_many_strangers))
      handlers.recipient(address).then((refusal) => {
        if (refusal !== null) strangers.set(session, wrong + 1)
        callback(refusal === null ? null : errorOf(refusal))
      }, toLater(callback))
    },
    onData(stream, session, callback) {
      const isBusy = reading >= mail_limits.inbound_mails_max
      if (isBusy) {
        stream.resume()
        stream.once('end', () => callback(errorOf(later)))
        return
      }
      reading++
      receive(stream, session, handlers)
        .then((received) => callback(received === 'accepted' ? null : errorOf(received)), toLater(callback))
        .finally(() => {
          reading--
        })
    },
  })
}

async function receive(
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  handlers: ReceiverHandlers,
): Promise<Received> {
  const chunks: Buffer[] = []
  // What is over the limit is read, because the protocol has no other end, and not kept.
  for await (const chunk of stream)
    if (stream.sizeExceeded) chunks.length = 0
    else chunks.push(chunk as Buffer)
  if (stream.sizeExceeded) return too_large
  const [recipient] = session.envelope.rcptTo
  return recipient === undefined ? unknown_recipient : await handlers.mail(recipient.address, Buffer.concat(chunks))
}

function errorOf({ code, message }: SmtpRefusal): Error {
  return Object.assign(new Error(message), { responseCode: code })
}

const toLater = (callback: (error: Error) => void) => () => callback(errorOf(later))
