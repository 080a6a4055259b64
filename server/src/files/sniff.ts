/**
 * What a file is, by its first bytes: the type that a client claims is never believed, because a browser acts on it. Types that
 * a browser shows by itself are recognized exactly; everything else is text or bytes.
 */

interface Signature {
  readonly type: string
  /** Bytes as Latin-1 text; `?` stands for any byte. */
  readonly bytes: string
  readonly at?: number
}

const signatures: readonly Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', bytes: 'RIFF????WEBP' },
  { type: 'image/bmp', bytes: 'BM????\0\0\0\0' },
  { type: 'image/tiff', bytes: 'II*\0' },
  { type: 'image/tiff', bytes: 'MM\0*' },
  { type: 'image/x-icon', bytes: '\0\0\x01\0' },
  { type: 'image/avif', bytes: 'ftypavif', at: 4 },
  { type: 'image/avif', bytes: 'ftypavis', at: 4 },
  { type: 'image/heic', bytes: 'ftyphei', at: 4 },
  { type: 'image/heic', bytes: 'ftypmif1', at: 4 },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: 'audio/mp4', bytes: 'ftypM4A', at: 4 },
  { type: 'video/quicktime', bytes: 'ftypqt  ', at: 4 },
  { type: 'video/mp4', bytes: 'ftyp', at: 4 },
  { type: 'video/webm', bytes: '\x1aE\xdf\xa3' },
  { type: 'audio/wav', bytes: 'RIFF????WAVE' },
  { type: 'video/x-msvideo', bytes: 'RIFF????AVI ' },
  { type: 'audio/ogg', bytes: 'OggS' },
  { type: 'audio/flac', bytes: 'fLaC' },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'audio/mpeg', bytes: '\xff\xfb' },
  { type: 'audio/mpeg', bytes: '\xff\xf3' },
  { type: 'application/zip', bytes: 'PK\x03\x04' },
  { type: 'application/zip', bytes: 'PK\x05\x06' },
  { type: 'application/gzip', bytes: '\x1f\x8b' },
]

/** Bytes that decide whether a file is text. */
const text_bytes = 4096
const other_type = 'application/octet-stream'

/** The media type of a file that begins with `head`. An empty file is text. */
export function sniffType(head: Buffer): string {
  const found = signatures.find(({ bytes, at = 0 }) => startsWith(head, bytes, at))
  if (found !== undefined) return found.type
  return isText(head.subarray(0, text_bytes)) ? 'text/plain' : other_type
}

function startsWith(head: Buffer, bytes: string, at: number): boolean {
  if (head.length < at + bytes.length) return false
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== '?' && head[at + i] !== bytes.charCodeAt(i)) return false
  }
  return true
}

/** UTF-8 without control characters other than tab, line breaks, form feed and escape. The last character may be cut. */
function isText(head: Buffer): boolean {
  for (const byte of head) {
    if (byte < 0x20 && (byte < 0x09 || byte > 0x0d) && byte !== 0x1b) return false
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** Types that a browser may show in its own page: they run no scripts of the file. */
export function isShownInline(type: string): boolean {
  return /^(audio|video)\//.test(type) || inline_types.has(type)
}

const inline_types: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'application/pdf',
])

export interface PixelSize {
  readonly width: number
  readonly height: number
}

/** The size of an image as its header states it; null for other types, and if the header is damaged or not in `head`. */
export function sizeOfImage(type: string, head: Buffer): PixelSize | null {
  const read = readers[type]
  if (read === undefined) return null
  try {
    const size = read(head)
    return size !== null && size.width > 0 && size.height > 0 ? size : null
  } catch (error) {
    // The header ends before the size.
    if (error instanceof RangeError) return null
    throw error
  }
}

const readers: Readonly<Record<string, (head: Buffer) => PixelSize | null>> = {
  'image/png': (head) =>
    head.toString('latin1', 12, 16) === 'IHDR' ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) } : null,
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/bmp': (head) => ({ width: Math.abs(head.readInt32LE(18)), height: Math.abs(head.readInt32LE(22)) }),
  'image/jpeg': sizeOfJpeg,
  'image/webp': sizeOfWebp,
}

/** Segments until the first start of a frame (ITU-T T.81, B.1.1.3). */
function sizeOfJpeg(head: Buffer): PixelSize | null {
  for (let at = 2; ; ) {
    if (head.readUInt8(at) !== 0xff) return null
    const marker = head.readUInt8(at + 1)
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) at += 1
    else if (isStartOfFrame(marker)) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    else at += 2 + head.readUInt16BE(at + 2)
  }
}

function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

/** The three forms of the first chunk (RFC 9649). */
function sizeOfWebp(head: Buffer): PixelSize | null {
  const form = head.toString('latin1', 12, 16)
  if (form === 'VP8X') return { width: 1 + head.readUIntLE(24, 3), height: 1 + head.readUIntLE(27, 3) }
  if (form === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
  if (form !== 'VP8L') return null
  const bits = head.readUInt32LE(21)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}
