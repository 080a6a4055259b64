/**
 * The content of files at the destination of a continuous backup. Content never changes under its key, so it is copied once.
 * Content stays at the destination when its row was deleted.
 */
import { createHash } from 'node:crypto'
import { db_limits } from '../../limits.ts'
import type { ReadContents } from '../backup.ts'
import { type Destination, namesBelow } from './destination.ts'
import { partName } from './layout.ts'
import { BadDestination, openNamed } from './marker.ts'
import { type BackupKey, toObject } from './object.ts'

interface ContentHead {
  readonly kind: 'content'
  readonly key: string
  readonly bytes: number
  readonly sha256: string
  /** The number of parts; 0: the content is in this object. */
  readonly parts: number
}

interface ContentPart {
  readonly kind: 'content part'
  readonly key: string
  readonly number: number
}

export interface ContentRow {
  readonly key: string
  readonly sha256: string
  readonly bytes: number
}

const contents_folder = 'files/contents'
const contentName = (key: string) => `${contents_folder}/${key}`
const partsFolder = (key: string) => `files/parts/${key}`

export class ContentCopies {
  private readonly destination: Destination
  private readonly key: BackupKey | null
  private readonly read: ReadContents
  /** The keys of what the destination has; null before it was looked at. */
  private known: Set<string> | null = null

  constructor(destination: Destination, key: BackupKey | null, read: ReadContents) {
    this.destination = destination
    this.key = key
    this.read = read
  }

  /** Copies what the destination lacks. Returns how many contents it has. Content that was removed meanwhile is skipped. */
  async copy(rows: AsyncIterable<ContentRow>, isStopped: () => boolean): Promise<number> {
    this.known ??= await this.look()
    for await (const row of rows) {
      if (isStopped()) break
      if (!this.known.has(row.key)) await this.copyOne(row, this.known)
    }
    return this.known.size
  }

  private async look(): Promise<Set<string>> {
    const known = new Set<string>()
    for await (const name of namesBelow(this.destination, contents_folder))
      known.add(name.slice(contents_folder.length + 1))
    return known
  }

  private async copyOne(row: ContentRow, known: Set<string>): Promise<void> {
    const pieces = await this.read(row.key, row.bytes)
    if (pieces === null) return
    const hash = createHash('sha256')
    let [part, size, parts] = [[] as Buffer[], 0, 0]
    const putPart = async () => {
      const head: ContentPart = { kind: 'content part', key: row.key, number: ++parts }
      const { bytes } = await toObject(head, Buffer.concat(part), this.key)
      await this.destination.put(partName(partsFolder(row.key), parts), bytes)
      ;[part, size] = [[], 0]
    }
    for await (const piece of pieces) {
      hash.update(piece)
      if (size + piece.length > db_limits.follow_part_bytes) await putPart()
      part.push(piece)
      size += piece.length
    }
    if (parts > 0) await putPart()
    // A damaged content is not taken for the one that the row names; the doctor reports it.
    if (hash.digest('hex') !== row.sha256) return
    const { key, bytes, sha256 } = row
    const head: ContentHead = { kind: 'content', key, bytes, sha256, parts }
    const made = await toObject(head, Buffer.concat(part), this.key)
    await this.destination.put(contentName(row.key), made.bytes)
    known.add(row.key)
  }
}

/** The pieces of a content at the destination; null if it has none. Rejects with BadDestination. */
export async function readCopied(
  destination: Destination,
  key: BackupKey | null,
  { key: name, bytes, sha256 }: ContentRow,
): Promise<AsyncIterable<Buffer> | null> {
  const found = await destination.get(contentName(name))
  if (found === null) return null
  const { head, content } = await openNamed<ContentHead>(found, contentName(name), 'content', key)
  if (head.key !== name || head.sha256 !== sha256 || head.bytes !== bytes)
    throw new BadDestination(`${contentName(name)} is another content`)
  return pieces()

  async function* pieces() {
    if (head.parts === 0) yield content
    for (let number = 1; number <= head.parts; number++) {
      const path = partName(partsFolder(name), number)
      const part = await destination.get(path)
      if (part === null) throw new BadDestination(`${path} is missing`)
      const opened = await openNamed<ContentPart>(part, path, 'content part', key)
      if (opened.head.key !== name || opened.head.number !== number)
        throw new BadDestination(`${path} is a part of another content`)
      yield opened.content
    }
  }
}
