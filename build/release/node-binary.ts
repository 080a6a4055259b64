/** Node for the package: the binary that `npm ci` installed, without the parts that only debuggers read. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'

/** Offsets of the header of a 64-bit ELF file, and of a program header in its table. */
const header = { segments: 32, sections: 40, segmentCount: 56, sectionSize: 58 } as const
const segment = { bytes: 56, offset: 8, sizeInFile: 32 } as const
const elf_64_little_endian = Buffer.from('7f454c460201', 'hex')

/**
 * The file up to the end of its last segment. The system and the loader read segments only; symbols and debug information
 * lie behind them and are a fifth of Node's file. Throws for a file that is not ELF.
 */
export function loadedPart(file: Buffer): Buffer {
  if (!file.subarray(0, elf_64_little_endian.length).equals(elf_64_little_endian))
    throw new Error('Node’s binary is no 64-bit ELF file.')
  const table = Number(file.readBigUInt64LE(header.segments))
  const ends = Array.from({ length: file.readUInt16LE(header.segmentCount) }, (_, i) => {
    const at = table + i * segment.bytes
    return Number(file.readBigUInt64LE(at + segment.offset) + file.readBigUInt64LE(at + segment.sizeInFile))
  })
  const part = Buffer.from(file.subarray(0, Math.max(...ends)))
  // The table of sections is cut off: no offset, no entries, no names.
  part.writeBigUInt64LE(0n, header.sections)
  part.fill(0, header.sectionSize + 2, header.sectionSize + 6)
  return part
}

export function writeNode(from: string, to: string): void {
  writeFileSync(to, loadedPart(readFileSync(from)))
  chmodSync(to, 0o755)
}
