/** Sends mails to a receiver as the mail server of a host does, by a real SMTP client. */
import { createTransport } from 'nodemailer'

export interface SentMail {
  readonly to: string
  readonly from?: string
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly messageId?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly attachments?: readonly { readonly filename?: string; readonly content: Buffer }[]
  /** The sender of the envelope; by default that of the mail. */
  readonly envelopeFrom?: string
  /** The whole mail as it is sent, in place of the fields. */
  readonly raw?: string
}

/** The answer of SMTP: 250, or the code and text of the refusal. Rejects if the connection breaks before an answer. */
export async function sendMail(port: number, { to, envelopeFrom, ...sent }: SentMail): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
  const mail = { from: 'Grace Hopper <grace@navy.example>', to, subject: 'The crane is stuck', text: 'Since Monday.' }
  const from = envelopeFrom ?? /[^<\s]+@[^>\s]+/.exec(sent.from ?? mail.from)?.[0] ?? ''
  try {
    await transport.sendMail({ ...mail, ...(sent as object), envelope: { from, to: [to] } })
    return '250'
  } catch (error) {
    const { response } = error as { response?: string }
    if (response === undefined) throw error
    return response
  } finally {
    transport.close()
  }
}
