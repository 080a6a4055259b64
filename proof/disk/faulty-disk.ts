/**
 * A disk that fails on command, below a folder and for the processes that preload `faults.c` (compiled on first use). A
 * failed sync can behave as on Linux: the kernel drops the pages it could not write, and only another write brings them to
 * disk. `cut` is a power failure: files then hold what the disk held.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'

const page_bytes = 4096
const pages_max = 16_384
const files_max = 4096
const path_bytes = 256
/** Offsets in `struct control` of faults.c: numbers, paths, page list, page content. */
const paths_at = 64 * 4
const pages_at = paths_at + files_max * path_bytes
const content_at = pages_at + pages_max * 16
const control_bytes = content_at + pages_max * page_bytes + files_max * 4

const fields = {
  armed: 0,
  files: 1,
  left: 2,
  error: 3,
  times: 4,
  fired: 5,
  losing: 6,
  owner: 7,
  file_count: 8,
  page_count: 9,
} as const

const files = { data: 1, log: 2, requests: 4, 'request log': 8 } as const
/** What memory shows of pages lost by a failed sync: what was written, or what the disk holds. */
const losing = { nothing: 0, written: 1, held: 2 } as const

export interface DiskFault {
  readonly what: 'write' | 'sync'
  /** The data file or write-ahead log, of the database or the request log. */
  readonly files: readonly (keyof typeof files)[]
  /** The first to fail, from 1. */
  readonly nth: number
  /** `short`: half of the bytes are written. */
  readonly error: 'EIO' | 'ENOSPC' | 'short'
  /** How many calls fail; `null`: all until `disarm`. */
  readonly times: number | null
}

let library: string | undefined

function compiled(): string {
  if (library !== undefined) return library
  const folder = mkdtempSync(join(tmpdir(), 'atrium-disk-faults-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  library = join(folder, 'faults.so')
  const source = join(import.meta.dirname, 'faults.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  return library
}

/** Why disk faults cannot be injected on this machine; `null` if they can. */
export function faultyDiskSkipReason(): string | null {
  if (process.platform !== 'linux') return 'disk faults are preloaded, which needs Linux'
  try {
    compiled()
    return null
  } catch (error) {
    library = undefined
    return `disk faults need a C compiler: ${(error as Error).message.split('\n')[0]}`
  }
}

export class FaultyDisk {
  /** For the processes that use this disk. */
  readonly environment: Readonly<Record<string, string>>
  private readonly folder: string
  private readonly control: number

  /** `root`: the folder whose files may fail. */
  constructor(root: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'atrium-disk-'))
    chmodSync(this.folder, 0o755)
    const path = join(this.folder, 'control')
    writeFileSync(path, '')
    truncateSync(path, control_bytes)
    chmodSync(path, 0o666)
    this.control = openSync(path, 'r+')
    this.environment = {
      LD_PRELOAD: compiled(),
      PROOF_DISK_ROOT: `${realpathSync(root)}/`,
      PROOF_DISK_CONTROL: path,
    }
  }

  private set(field: keyof typeof fields, value: number): void {
    writeSync(this.control, Int32Array.of(value), 0, 4, 4 * fields[field])
  }

  private get(field: keyof typeof fields): number {
    const value = new Int32Array(1)
    readSync(this.control, value, 0, 4, 4 * fields[field])
    return value[0] as number
  }

  /** Tracks writes from now on, so that a failed sync loses the pages it did not write. */
  losePages(shown: keyof typeof losing): void {
    this.set('losing', losing[shown])
  }

  arm(fault: DiskFault): void {
    this.disarm()
    const bits = fault.files.reduce((sum, name) => sum | files[name], 0)
    this.set('files', bits)
    this.set('left', fault.nth - 1)
    this.set('error', fault.error === 'short' ? 0 : constants.errno[fault.error])
    this.set('times', fault.times ?? -1)
    this.set('fired', 0)
    this.set('armed', fault.what === 'write' ? 1 : 2)
  }

  disarm(): void {
    this.set('armed', 0)
  }

  /** How many calls have failed since `arm`. */
  get fired(): number {
    return this.get('fired')
  }

  /** Cuts the power: pages that were not synced revert. Its processes must have ended. Returns how many pages reverted. */
  cut(): number {
    const count = this.get('page_count')
    const pages = Buffer.alloc(16 * count)
    readSync(this.control, pages, 0, pages.length, pages_at)
    for (let at = 0; at < count; at++) {
      const held = Buffer.alloc(page_bytes)
      readSync(this.control, held, 0, page_bytes, content_at + at * page_bytes)
      revert(this.pathOf(pages.readInt32LE(16 * at)), Number(pages.readBigInt64LE(16 * at + 8)) * page_bytes, held)
    }
    this.set('page_count', 0)
    return count
  }

  private pathOf(file: number): string {
    const bytes = Buffer.alloc(path_bytes)
    readSync(this.control, bytes, 0, path_bytes, paths_at + file * path_bytes)
    return bytes.subarray(0, bytes.indexOf(0)).toString()
  }

  remove(): void {
    closeSync(this.control)
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Files keep their length, and removed files stay removed. */
function revert(path: string, offset: number, page: Buffer): void {
  if (!existsSync(path)) return
  const file = openSync(path, 'r+')
  try {
    const length = Math.min(page.length, fstatSync(file).size - offset)
    if (length > 0) writeSync(file, page, 0, length, offset)
  } finally {
    closeSync(file)
  }
}
