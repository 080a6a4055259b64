/**
 * A disk whose power can be cut: an ext4 file system on a loop device, in a file of its own. `cut` stops the file system
 * as a power failure does: what it had not handed to the disk by then, its journal too, is gone (FS_IOC_SHUTDOWN). What
 * was handed over stands, synced or not. It never outlives the process that made it.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { whileHeld } from './holders.ts'

/** FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH; Node has no ioctl. */
const cutting = 'open(F, "<", $ARGV[0]) or die "$!"; my $how = pack("L", 2); ioctl(F, 0x8004587d, $how) or die "$!"'

/** sync_file_range(2), and wait: the pages of a part of a file reach the disk, and nothing says so anywhere. */
const writing_back = `my ($number, $path, @ranges) = @ARGV; open(F, "+<", $path) or die "$!";
  while (@ranges) { syscall($number, fileno(F), shift(@ranges) + 0, shift(@ranges) + 0, 7) == 0 or die "$!" }`
const sync_file_range: Readonly<Record<string, number>> = { x64: 277, arm64: 84 }

/** How long the processes that were killed may keep the file system. */
const busy_ms = 60_000

function run(program: string, ...given: string[]): string {
  return execFileSync(program, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export class Image {
  /** Where it is mounted; others than root may enter. */
  readonly folder: string
  private readonly home: string
  private readonly file: string
  private readonly leash: { kill(): boolean }

  constructor(mebibytes: number) {
    this.home = mkdtempSync(join(tmpdir(), 'atrium-image-'))
    chmodSync(this.home, 0o755)
    this.folder = join(this.home, 'disk')
    this.file = join(this.home, 'disk.ext4')
    mkdirSync(this.folder)
    writeFileSync(this.file, '')
    truncateSync(this.file, mebibytes * 2 ** 20)
    this.leash = leash(this.home, this.folder)
    try {
      // Blocks as of every larger file system; with smaller ones a full disk ends who writes to a mapped file (SIGBUS).
      run('mkfs.ext4', '-q', '-m', '0', '-b', '4096', this.file)
      this.mount()
    } catch (error) {
      this.leash.kill()
      rmSync(this.home, { recursive: true })
      throw error
    }
  }

  private mount(): void {
    run('mount', '-o', 'loop', this.file, this.folder)
  }

  private async unmount(): Promise<void> {
    for (const until = Date.now() + busy_ms; ; ) {
      try {
        return void run('umount', this.folder)
      } catch (error) {
        if (Date.now() > until) throw error
      }
      await sleep(10)
    }
  }

  /** Everything on it is safe from the next cut. */
  sync(): void {
    run('sync', '--file-system', this.folder)
  }

  /** Parts of a file (offset and length by turns) reach the disk, as the system writes them back by itself at any time. */
  writeBack(path: string, ranges: readonly number[]): void {
    const number = sync_file_range[process.arch]
    if (number !== undefined) run('perl', '-e', writing_back, String(number), path, ...ranges.map(String))
  }

  /**
   * From here on nothing reaches the disk any more, and whoever writes is told so. Nobody is amid a sync at that moment: ext4
   * answers some of those with success that it stops there, though nothing of them was written.
   */
  cut(): void {
    whileHeld(this.folder, () => void run('perl', '-e', cutting, this.folder))
  }

  /** Power is back. Whoever had files open on it must have ended, or be about to. */
  async again(): Promise<void> {
    await this.unmount()
    this.mount()
  }

  /** Nothing on it is looked at any more: whoever still holds it may end later. */
  remove(): void {
    run('umount', '--lazy', this.folder)
    this.leash.kill()
    rmSync(this.home, { recursive: true })
  }
}

/** A shell that waits on a pipe from this process: when this process dies in whatever way, it takes the image down. */
function leash(home: string, folder: string): { kill(): boolean } {
  const script = 'cat; umount --lazy "$1"; rm -rf --one-file-system "$0"'
  const holder = spawn('/bin/sh', ['-c', script, home, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  holder.unref()
  return { kill: () => holder.kill('SIGKILL') }
}

let known: string | null | undefined

/** Why no power can be cut here; `null`: it can, for what was synced has just outlived a cut and what was not has not. */
export async function imageHindrance(): Promise<string | null> {
  known ??= await tried().then(
    (text) => text,
    (error: Error) => `no file system on a loop device can be made here: ${error.message.trim().split('\n').at(-1)}`,
  )
  return known
}

async function tried(): Promise<string | null> {
  if (process.platform !== 'linux') return 'loop devices are a matter of Linux'
  if (process.getuid?.() !== 0) return 'only root may mount an image'
  const image = new Image(16)
  try {
    const path = join(image.folder, 'a-file')
    writeFileSync(path, 'before')
    image.sync()
    writeFileSync(path, 'behind')
    image.cut()
    await image.again()
    return readFileSync(path, 'utf8') === 'before' ? null : 'a cut does not take what was not synced'
  } finally {
    image.remove()
  }
}
