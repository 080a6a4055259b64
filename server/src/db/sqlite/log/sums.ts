/** The format of SQLite's write-ahead log (sqlite.org/fileformat2.html, section 4) and the arithmetic of its checksums. */

export const log_format = {
  header_bytes: 32,
  frame_head_bytes: 24,
  /** The first word of a log whose checksums are over little-endian words. */
  magic_little: 0x377f0682,
  magic_big: 0x377f0683,
  version: 3_007_000,
  page_bytes_min: 512,
  page_bytes_max: 65_536,
  /** SQLite's default. */
  page_bytes: 4096,
  /** Frames that are read at a time. */
  piece_frames: 256,
  /** Frames that are corrected; a log with more bad frames counts as damaged. */
  repairs_max: 100,
} as const

/** A checksum: two signed 32-bit words. */
export interface Sum {
  readonly first: number
  readonly second: number
}

/** The words of these bytes in the byte order of the log's magic number. The number of words is even. */
export function wordsOf(bytes: Buffer, magic: number): Int32Array {
  const isLittle = magic === log_format.magic_little
  if (isLittle && is_host_little && bytes.byteOffset % 4 === 0) {
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  }
  const words = new Int32Array(bytes.length / 4)
  for (let i = 0; i < words.length; i++) words[i] = isLittle ? bytes.readInt32LE(4 * i) : bytes.readInt32BE(4 * i)
  return words
}

const is_host_little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** The checksum of the words, continuing `before`. */
export function sumOf(words: Int32Array, before: Sum): Sum {
  let { first, second } = before
  for (let i = 0; i < words.length; i += 2) {
    first = (first + (words[i] as number) + second) | 0
    second = (second + (words[i + 1] as number) + first) | 0
  }
  return { first, second }
}

/** The checksum before the words, given the one after them. */
export function seedOf(words: Int32Array, after: Sum): Sum {
  let { first, second } = after
  for (let i = words.length - 2; i >= 0; i -= 2) {
    second = (second - (words[i + 1] as number) - first) | 0
    first = (first - (words[i] as number) - second) | 0
  }
  return { first, second }
}
