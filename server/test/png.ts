/** A gray PNG, made without a library. */
import { crc32, deflateSync } from 'node:zlib'

/** `rows`: of how many rows it really has the pixels. */
export function png(width: number, height: number, rows = height): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  // Each row begins with its filter: none.
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width, 0x55)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: rows }, () => row)))
  const magic = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([magic, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
