/**
 * Content in a folder. A file is renamed into its place only when all of its bytes are on disk, and its name is on disk before
 * `put` resolves, so that neither a killed process nor a power failure leaves a part of a file under a key.
 */
import { constants, createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ContentStore, StoredFile } from './content-store.ts'
import { file_limits } from './limits.ts'

export class ContentFolder implements ContentStore {
  readonly place: string
  readonly isLocal = true

  /** `place` need not exist yet. It must be on the file system of the files that are put. */
  constructor(place: string) {
    this.place = place
  }

  async put(key: string, { path }: StoredFile): Promise<void> {
    const target = this.pathOf(key)
    await makeFolder(dirname(target))
    await rename(path, target)
    await syncFolder(dirname(target))
  }

  async read(key: string, first: number, last: number): Promise<Readable | null> {
    const handle = await open(this.pathOf(key), constants.O_RDONLY).catch(absent)
    if (handle === null) return null
    const range = { start: first, end: last, highWaterMark: file_limits.file_read_bytes }
    // The stream closes the handle. Until then the bytes remain, even if the content is removed.
    return createReadStream('', { fd: handle, ...range })
  }

  async size(key: string): Promise<number | null> {
    const found = await stat(this.pathOf(key)).catch(absent)
    return found === null ? null : found.size
  }

  async remove(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true })
  }

  async *keys(): AsyncGenerator<string> {
    for (const realm of await namesIn(this.place)) {
      for (const part of await namesIn(join(this.place, realm))) {
        for (const name of await namesIn(join(this.place, realm, part))) yield `${realm}/${part}/${name}`
      }
    }
  }

  /** A file is renamed into its place whole. */
  async abortUnfinished(): Promise<number> {
    return 0
  }

  private pathOf(key: string): string {
    return join(this.place, key)
  }
}

/** Creates a folder for this account only, with the folders above it, durably. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  // The name of each new folder is stored in the folder above it.
  for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** The names in a folder; none if it does not exist. */
async function namesIn(path: string): Promise<string[]> {
  const folder = await opendir(path).catch(absent)
  const names: string[] = []
  if (folder !== null) for await (const { name } of folder) names.push(name)
  return names.sort()
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
