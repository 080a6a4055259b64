/** Where a continuous backup is kept: a folder, or a bucket (`files/bucket.ts`). Objects appear whole or not at all. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { file_mode, folder_mode } from '../../../lib/private-path.ts'

/** The destination does not answer, or refused a write. Trying again may help. */
export class DestinationUnavailable extends Error {}

export interface Destination {
  /** For operators: a folder, or the URL of a bucket. */
  readonly place: string
  /** Whether each request costs little, as in a folder. */
  readonly isLocal: boolean
  /** Stores an object durably, in place of an earlier one of this name. Rejects with DestinationUnavailable, like all others. */
  put(name: string, bytes: Buffer): Promise<void>
  /** The bytes of an object; null if it does not exist. */
  get(name: string): Promise<Buffer | null>
  /** The names directly below a folder, sorted, without the folder's own name; those of folders end in `/`. */
  list(folder: string): Promise<string[]>
  /** Does nothing if there is no such object. */
  remove(name: string): Promise<void>
  /**
   * Removes what killed processes left of objects that were not whole, and returns how many there were. A write that is under way
   * fails, and can be repeated.
   */
  removeUnfinished(): Promise<number>
}

/** The end of a file's name until it is whole. */
const unfinished = '.unfinished'
const unfinished_form = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.unfinished$/

export class FolderDestination implements Destination {
  readonly place: string
  readonly isLocal = true
  /** Folders that are known to exist. */
  private readonly made = new Set<string>()

  constructor(place: string) {
    this.place = place
  }

  put(name: string, bytes: Buffer): Promise<void> {
    return this.available(async () => {
      const path = join(this.place, name)
      await this.makeFolder(dirname(path))
      const written = `${path}.${randomUUID()}${unfinished}`
      try {
        await writeWhole(written, bytes)
        await rename(written, path)
      } catch (error) {
        // Each attempt on a full disk would leave a part that takes more of its room.
        await rm(written, { force: true })
        throw error
      }
      await syncFolder(dirname(path))
    })
  }

  get(name: string): Promise<Buffer | null> {
    return this.available(() => readFile(join(this.place, name)).catch(absent))
  }

  list(folder: string): Promise<string[]> {
    return this.available(async () => {
      const found = (await readdir(join(this.place, folder), { withFileTypes: true }).catch(absent)) ?? []
      const whole = found.filter(({ name }) => !name.endsWith(unfinished))
      return whole.map((each) => (each.isDirectory() ? `${each.name}/` : each.name)).sort()
    })
  }

  /** Removes folders that become empty, too. */
  remove(name: string): Promise<void> {
    return this.available(async () => {
      await rm(join(this.place, name), { force: true })
      for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) {
        const path = join(this.place, folder)
        if (((await readdir(path).catch(absent)) ?? ['']).length > 0) return
        this.made.delete(path)
        await rm(path, { recursive: true, force: true })
      }
    })
  }

  removeUnfinished(): Promise<number> {
    return this.available(async () => {
      const names = (await readdir(this.place, { recursive: true }).catch(absent)) ?? []
      const left = names.filter((name) => unfinished_form.test(name))
      for (const name of left) await this.remove(name)
      return left.length
    })
  }

  /** Creates a folder and those above it; their names are on disk before anything is stored in them. */
  private async makeFolder(path: string): Promise<void> {
    if (this.made.has(path)) return
    const first = await mkdir(path, { recursive: true, mode: folder_mode })
    if (first !== undefined)
      for (let at = path; at.length >= first.length; at = dirname(at)) await syncFolder(dirname(at))
    this.made.add(path)
  }

  private async available<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.made.clear()
      throw new DestinationUnavailable(`${this.place}: ${(error as Error).message}`, { cause: error })
    }
  }
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', file_mode)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}

/** The names below a folder in order, with the folder's own name. */
export async function* namesBelow(destination: Destination, folder: string): AsyncGenerator<string> {
  for (const name of await destination.list(folder)) {
    if (name.endsWith('/')) yield* namesBelow(destination, `${folder}/${name.slice(0, -1)}`)
    else yield `${folder}/${name}`
  }
}
