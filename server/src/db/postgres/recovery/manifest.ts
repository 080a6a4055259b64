/** Compares the files of an unpacked base backup with the manifest that the server made of them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file is missing, damaged or not of the backup; the message names it. */
export class BadFiles extends Error {}

interface Entry {
  readonly Path?: string
  /** A name that is not UTF-8, in hexadecimal. */
  readonly 'Encoded-Path'?: string
  readonly Size: number
  readonly 'Checksum-Algorithm': string
  readonly Checksum: string
}

const sum_line = /"Manifest-Checksum": "([0-9a-f]{64})"\}\s*$/

/** `manifest`: its bytes. Rejects with BadFiles. */
export async function requireFiles(folder: string, manifest: Buffer): Promise<void> {
  const [, sum] = sum_line.exec(manifest.toString('latin1')) ?? []
  const summed = manifest.subarray(0, manifest.lastIndexOf('"Manifest-Checksum"'))
  if (createHash('sha256').update(summed).digest('hex') !== sum)
    throw new BadFiles('the manifest of the base is damaged')
  const { Files: entries } = JSON.parse(manifest.toString()) as { readonly Files: readonly Entry[] }
  for (const entry of entries) {
    const { Path, 'Encoded-Path': encoded = '', Size, Checksum } = entry
    const name = Path ?? Buffer.from(encoded, 'hex').toString('latin1')
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found === null) throw new BadFiles(`the file ${name} of the base is missing`)
    if (found.size !== Size) throw new BadFiles(`the file ${name} of the base has ${found.size} of ${Size} bytes`)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
    if (entry['Checksum-Algorithm'] !== 'SHA256' || hash.digest('hex') !== Checksum)
      throw new BadFiles(`the file ${name} of the base is damaged`)
  }
  const files = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((each) => !each.isDirectory())
  if (files.length !== entries.length)
    throw new BadFiles(`the base has ${files.length} files, and its manifest names ${entries.length}`)
}
