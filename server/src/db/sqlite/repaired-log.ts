/**
 * Corrects a frame of a write-ahead log with one flipped bit, and a header that can be reconstructed from the frames.
 */
import { log_format, type Sum, seedOf, sumOf, wordsOf } from './log/sums.ts'

const { header_bytes, frame_head_bytes } = log_format

/** Whether the log has a frame behind, and it continues this checksum. */
export type Continues = (sum: Sum) => boolean

/**
 * The frame with one bit corrected, so that it has the log's salts and its checksum continues `before`. `null`: no
 * single bit explains the difference. `ambiguous`: several do, which happens with the highest bits of a word, and in the
 * last frame with a bit of its last word, which looks like one of its checksum.
 */
export function repairFrame(
  bytes: Buffer,
  salts: Buffer,
  before: Sum,
  magic: number,
  continues: Continues,
): Buffer | 'ambiguous' | null {
  const frame = Buffer.from(bytes)
  const words = wordsOf(Buffer.concat([frame.subarray(0, 8), frame.subarray(frame_head_bytes)]), magic)
  const sum = sumOf(words, before)
  const wanted = { first: frame.readInt32BE(16), second: frame.readInt32BE(20) }
  const wrong_salts = bitsBetween(frame.subarray(8, 16), salts)
  const wrong_sum = bitsIn(sum.first ^ wanted.first) + bitsIn(sum.second ^ wanted.second)
  if (wrong_sum === 0 && wrong_salts === 1) return withBytes(frame, 8, salts)
  if (wrong_salts > 0) return null
  const flips = flipsFor(words, (wanted.first - sum.first) | 0, (wanted.second - sum.second) | 0)
  // The checksum is wrong in one bit, or a bit of what it is over. The frame behind continues the one that was written.
  if (wrong_sum === 1 && (flips.length === 0 || continues(sum))) return withSum(frame, sum)
  const [flip] = flips
  if (flip === undefined) return null
  if (flips.length > 1 || (wrong_sum === 1 && !continues(wanted))) return 'ambiguous'
  return flipBit(frame, flip, magic)
}

interface Flip {
  readonly word: number
  readonly bit: number
}

/** The bits of `words`, at most two, whose flip changes the checksum by these amounts. */
function flipsFor(words: Int32Array, first: number, second: number): Flip[] {
  const found: Flip[] = []
  // How much adding 1 to an even word, and to the odd word after it, changes the two parts of the checksum.
  let even = [1, 1] as [number, number]
  let odd = [0, 1] as [number, number]
  for (let word = words.length - 2; word >= 0 && found.length < 2; word -= 2) {
    for (const [at, [a, b]] of [
      [word + 1, odd],
      [word, even],
    ] as const) {
      for (let bit = 0; bit < 32; bit++) {
        const change = ((words[at] as number) >>> bit) & 1 ? -(2 ** bit) : 2 ** bit
        if (Math.imul(a, change) === first && Math.imul(b, change) === second) found.push({ word: at, bit })
      }
    }
    even = later(even)
    odd = later(odd)
  }
  return found
}

/** The change after two more words. */
function later([a, b]: [number, number]): [number, number] {
  const first = (a + b) | 0
  return [first, (b + first) | 0]
}

function flipBit(frame: Buffer, { word, bit }: Flip, magic: number): Buffer {
  const at = word < 2 ? 4 * word : frame_head_bytes + 4 * (word - 2)
  const byte = magic === log_format.magic_little ? at + (bit >> 3) : at + 3 - (bit >> 3)
  frame[byte] = (frame[byte] as number) ^ (1 << (bit & 7))
  return frame
}

/**
 * The header of a log, reconstructed from its first frame, which has the salts and whose checksum continues the
 * header's. `null`: no header is consistent with the first frame. If a power failure tore the header of a log that
 * started over, this is the header of the previous log, which the database already contains completely.
 */
export function repairHeader(frame: Buffer): Buffer | null {
  for (const magic of [log_format.magic_little, log_format.magic_big]) {
    const words = wordsOf(Buffer.concat([frame.subarray(0, 8), frame.subarray(frame_head_bytes)]), magic)
    const wanted = seedOf(words, { first: frame.readInt32BE(16), second: frame.readInt32BE(20) })
    const header = Buffer.alloc(header_bytes)
    header.writeUInt32BE(magic, 0)
    header.writeUInt32BE(log_format.version, 4)
    header.writeUInt32BE(frame.length - frame_head_bytes, 8)
    frame.copy(header, 16, 8, 16)
    const sum = () => sumOf(wordsOf(header.subarray(0, 24), magic), { first: 0, second: 0 })
    // The checkpoint number is the only unknown word; the first part of the checksum grows with it, the second by twice
    // as much.
    const number = (wanted.first - sum().first) | 0
    if (magic === log_format.magic_little) header.writeInt32LE(number, 12)
    else header.writeInt32BE(number, 12)
    const { first, second } = sum()
    if (first !== wanted.first || second !== wanted.second) continue
    header.writeInt32BE(first, 24)
    header.writeInt32BE(second, 28)
    return header
  }
  return null
}

function withSum(frame: Buffer, { first, second }: Sum): Buffer {
  frame.writeInt32BE(first, 16)
  frame.writeInt32BE(second, 20)
  return frame
}

function withBytes(frame: Buffer, at: number, bytes: Buffer): Buffer {
  bytes.copy(frame, at)
  return frame
}

function bitsBetween(one: Buffer, other: Buffer): number {
  let bits = 0
  for (let i = 0; i < one.length; i++) bits += bitsIn((one[i] as number) ^ (other[i] as number))
  return bits
}

function bitsIn(word: number): number {
  let bits = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) bits++
  return bits
}
