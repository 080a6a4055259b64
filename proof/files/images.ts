/** Images that lie about their size, or that are far larger than their bytes. */
import { crc32, deflateSync } from 'node:zlib'
import type { Dice } from '../dice.ts'

export interface HostileImage {
  readonly what: string
  readonly content: Buffer
  /** The size that its header states. */
  readonly width: number
  readonly height: number
}

const limit_pixels = 40_000_000

/** Draws an image. Those that may be decoded are small; large ones are over the limit of pixels. */
export function hostileImage(dice: Dice): HostileImage {
  const kind = dice.pick(['whole', 'bomb', 'lie', 'cut', 'gif', 'jpeg', 'webp'] as const)
  if (kind === 'whole') return pngOf('a whole PNG', dice.int(1, 900), dice.int(1, 900))
  // Valid in every row: about 45 million pixels in about 45 KB.
  if (kind === 'bomb') return pngOf('a PNG bomb', dice.int(6500, 7000), dice.int(6800, 7000))
  const [width, height] = [dice.pick([0, 1, 65_535, 2 ** 31 - 1]), dice.pick([1, 40_000, 65_535, 2 ** 31 - 1])]
  if (kind === 'lie') return { ...pngOf('a PNG with a wrong header', 16, 16, { width, height }), width, height }
  if (kind === 'cut') {
    const { content, ...size } = pngOf('a PNG that ends early', dice.int(1, 900), dice.int(1, 900))
    return { ...size, content: content.subarray(0, dice.int(24, content.length - 1)) }
  }
  const [w, h] = [dice.pick([1, 30_000, 0x3fff]), dice.pick([1, 30_000, 0x3fff])]
  if (kind === 'gif') return { what: 'a GIF', content: gifOf(w, h), width: w, height: h }
  if (kind === 'jpeg') return { what: 'a JPEG', content: jpegOf(w, h), width: w, height: h }
  return { what: 'a WebP', content: webpOf(w, h), width: w, height: h }
}

/** Whether an image may have a preview at all. */
export function mayHavePreview({ width, height }: HostileImage): boolean {
  return width > 0 && height > 0 && width * height <= limit_pixels
}

interface Size {
  readonly width: number
  readonly height: number
}

function pngOf(what: string, width: number, height: number, claimed: Size = { width, height }): HostileImage {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(claimed.width, 0)
  head.writeUInt32BE(claimed.height, 4)
  head[8] = 8
  const pixels = deflateSync(Buffer.alloc((width + 1) * height))
  const magic = Buffer.from('89504e470d0a1a0a', 'hex')
  const content = Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
  return { what, content, width, height }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

function gifOf(width: number, height: number): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from([0, 0, 0, 0x3b])])
}

/** A start of frame and nothing else. */
function jpegOf(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0, 0xff, 0xd9])
  frame.writeUInt16BE(height, 7)
  frame.writeUInt16BE(width, 9)
  return frame
}

/** A lossless WebP without image data. */
function webpOf(width: number, height: number): Buffer {
  const body = Buffer.alloc(30)
  body.write('RIFF', 0)
  body.writeUInt32LE(22, 4)
  body.write('WEBPVP8L', 8)
  body.writeUInt32LE(10, 16)
  body[20] = 0x2f
  body.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  return body
}
