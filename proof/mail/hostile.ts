/** Texts and addresses that try to be more than a text in a mail, and what a mail must look like. */
import type { Received } from '../../server/test/mail-server.ts'
import type { Dice } from '../dice.ts'

const pieces = [
  ...[
    '\r\nBcc: eve@evil.example',
    '\nCc: eve@evil.example',
    '\r\n\r\n<script>alert(1)</script>',
    '\r\n.\r\n',
    '\u2028To: x',
  ],
  ...[
    '\r\nContent-Type: text/html',
    '=?utf-8?Q?=0D=0ABcc:_eve@evil.example?=',
    '%0d%0aBcc:',
    '\\r\\nBcc:',
    '\u0085Bcc: e',
  ],
  ...['--', '\r\n--boundary\r\n', 'MAIL FROM:<eve@evil.example>', '"', ',', '<eve@evil.example>', ';', '\t', '\u202e'],
  ...[
    'Grüße',
    '計画',
    '😀',
    'a'.repeat(200),
    ' ',
    'Hello',
    '{{ task.key }}',
    'http://169.254.169.254/',
    'file:///etc/passwd',
  ],
]

export function hostileText(dice: Dice): string {
  const text = Array.from({ length: dice.int(1, 5) }, () => dice.pick(pieces)).join('')
  return `A${text}`
}

export function hostileAddress(dice: Dice): string {
  const name = `eve${dice.int(0, 2 ** 30)}`
  return dice.pick([
    `${name}@evil.example`,
    `${name},other@evil.example`,
    `"${name},other"@evil.example`,
    `${name}@evil.example\r\nRCPT TO:<other@evil.example>`,
    `${name}@evil.example>\r\nBcc: other@evil.example`,
    `<${name}@evil.example>`,
    `Eve <${name}@evil.example>`,
    `${name}@evil.example;other@evil.example`,
    `${name}%other.example@evil.example`,
    `"${name} (x)"@evil.example`,
    `${name}@[127.0.0.1]`,
    `${name}+a'b@evil.example`,
  ])
}

const fields = new Set([
  ...['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type', 'content-transfer-encoding'],
  ...['auto-submitted', 'x-auto-response-suppress', 'references', 'in-reply-to'],
  ...['list-unsubscribe', 'list-unsubscribe-post', 'reply-to'],
])

/** What is wrong with a mail to this address; null if nothing is. */
export function faultOfMail({ to, headers, raw }: Received, address: string): string | null {
  if (to.length !== 1 || to[0]?.toLowerCase() !== address.toLowerCase()) return `goes to ${to}`
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
  const names = head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
  const unknown = names.filter((name) => !fields.has(name))
  if (unknown.length > 0) return `has the fields ${unknown}`
  if (new Set(names).size !== names.length) return `has a field twice: ${names}`
  if (/[^\t\r\n\x20-\x7e]|\r(?!\n)|(?<!\r)\n/.test(head)) return 'has control characters in its fields'
  if (head.split('\r\n').some((line) => line.length > 998)) return 'has a field that is too long'
  if (!/^text\/plain/.test(headers.get('content-type') ?? '')) return `is ${headers.get('content-type')}`
  // Without these two, a program that answers mails by itself would answer, and its answer might be answered.
  if (headers.get('auto-submitted') !== 'auto-generated') return 'does not say that a program wrote it'
  if (headers.get('x-auto-response-suppress') !== 'All') return 'does not forbid automatic answers'
  return null
}
