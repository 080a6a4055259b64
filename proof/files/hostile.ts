/** Names and contents that strangers upload to be shown to others, and what a download of them must look like. */
import { gzipSync } from 'node:zlib'
import type { Dice } from '../dice.ts'
import type { Downloaded } from './download.ts'

const pieces = [
  ...['../', '..\\', '/etc/passwd', '.', '..', ' ', 'a'.repeat(90), 'plan.pdf', 'con', '~', '.htaccess'],
  ...['\r\nSet-Cookie: a=b', '\n', '\0', '\u007f', '\u0085', '\u2028', '\u202e', '\ufeff'],
  ...['"; filename=evil.html', '"', '\\', "''", ';', '=', '*', '%', '%0d%0a', '%2f', '<script>', '&', '#', '?', '+'],
  ...['файл', '計画', '😀', 'é', 'e\u0301', '\u{10ffff}'],
]

export function hostileName(dice: Dice): string {
  return Array.from({ length: dice.int(1, 4) }, () => dice.pick(pieces)).join('')
}

/** What may not be in a stored name. */
export function isPathOrControl(name: string): boolean {
  return /[/\\\p{Cc}]/u.test(name) || name === '.' || name === '..'
}

const magics = {
  'image/png': Buffer.from('89504e470d0a1a0a', 'hex'),
  'image/jpeg': Buffer.from('ffd8ffe0', 'hex'),
  'image/gif': Buffer.from('GIF89a'),
  'image/webp': Buffer.from('RIFF\x24\0\0\0WEBP', 'latin1'),
  'image/bmp': Buffer.from('BM\x10\0\0\0\0\0\0\0', 'latin1'),
  'image/avif': Buffer.from('\0\0\0\x1cftypavif', 'latin1'),
  'application/pdf': Buffer.from('%PDF-1.7'),
  'audio/mpeg': Buffer.from('ID3'),
  'audio/ogg': Buffer.from('OggS'),
} as const

const other_beginnings = [
  ...['', ' ', '\ufeff', '\xff\xfe<\0', 'PK\x03\x04', '\x1f\x8b\x08', '\0', '#!/bin/sh\n', 'GIF8', '\x89PN'],
  ...['<!DOCTYPE html>', '<?xml version="1.0"?>', 'MIME-Version: 1.0\n', '%!PS', '\0asm'],
].map((text) => Buffer.from(text, 'latin1'))

const payloads = [
  '<html><script>alert(1)</script>',
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
  'alert(1)//',
  '*{background:url(//evil.example)}',
  '<!--',
]

export function hostileContent(dice: Dice): Buffer {
  if (dice.chance(0.1)) return gzipSync(Buffer.alloc(dice.int(1, 4) * 1024 * 1024))
  const beginning = dice.chance(0.5) ? dice.pick(Object.values(magics)) : dice.pick(other_beginnings)
  const padding = Buffer.alloc(dice.pick([0, 1, 512, 5000]), dice.pick([0, 0x20]))
  return Buffer.concat([beginning, padding, Buffer.from(dice.pick(payloads))])
}

/** Types under which a browser runs or styles something. */
const active = /html|xml|svg|script|css|multipart|wasm|mhtml|message/

const disposition_form = /^(inline|attachment); filename="([^"\\%]*)"; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)$/

const header_names = new Set([
  ...['accept-ranges', 'cache-control', 'content-disposition', 'content-security-policy', 'content-type', 'etag'],
  ...['referrer-policy', 'x-content-type-options', 'content-length', 'date', 'connection', 'keep-alive', 'vary'],
  ...['x-request-id', 'content-range', 'strict-transport-security', 'cross-origin-resource-policy'],
])

/** What is wrong with a download of this name and content; null if nothing is. */
export function faultOf(reply: Pick<Downloaded, 'headers'>, name: string, content: Buffer): string | null {
  const { headers } = reply
  const type = String(headers['content-type'])
  if (active.test(type)) return `has the type ${type}`
  const [, kind, , encoded = ''] = disposition_form.exec(String(headers['content-disposition'])) ?? []
  if (kind === undefined) return `has the disposition ${headers['content-disposition']}`
  if (decodeURIComponent(encoded) !== name) return `is called ${decodeURIComponent(encoded)}`
  const magic = (magics as Readonly<Record<string, Buffer>>)[type]
  if (kind === 'inline' && !(magic !== undefined && content.subarray(0, magic.length).equals(magic)))
    return `is shown inline as ${type}`
  if (headers['x-content-type-options'] !== 'nosniff') return 'may be sniffed'
  const policy = String(headers['content-security-policy'])
  if (!/(^|; )sandbox$/.test(policy)) return `has the policy ${policy}`
  const unknown = Object.keys(headers).filter((header) => !header_names.has(header))
  return unknown.length > 0 ? `has the headers ${unknown}` : null
}
