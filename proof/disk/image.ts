/**
 * A disk whose power can be cut: an ext4 file system on a loop device. `cut` (FS_IOC_SHUTDOWN) loses everything, including
 * the journal, that was not yet handed to the disk; what was handed over stays, synced or not. The image never outlives
 * the process that created it.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { whilePaused } from './pause-processes.ts'

/** FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH; Node has no ioctl. */
const cutting = 'open(F, "<", $ARGV[0]) or die "$!"; my $how = pack("L", 2); ioctl(F, 0x8004587d, $how) or die "$!"'

/** sync_file_range(2): writes pages of a file to disk without recording that they are durable. */
const writing_back = `my ($number, $path, @ranges) = @ARGV; open(F, "+<", $path) or die "$!";
  while (@ranges) { syscall($number, fileno(F), shift(@ranges) + 0, shift(@ranges) + 0, 7) == 0 or die "$!" }`
const sync_file_range: Readonly<Record<string, number>> = { x64: 277, arm64: 84 }

/** Killed processes may keep the file system busy for this long. */
const busy_ms = 60_000

function run(program: string, ...given: string[]): string {
  return execFileSync(program, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export class Image {
  /** The mount point; users other than root may enter. */
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
      // The usual block size. With smaller blocks a full disk ends writers to mapped files by SIGBUS.
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

  /** Everything on it survives the next cut. */
  sync(): void {
    run('sync', '--file-system', this.folder)
  }

  /** Writes parts of a file to disk, as the system may at any time. `ranges` alternates offsets and lengths. */
  writeBack(path: string, ranges: readonly number[]): void {
    const number = sync_file_range[process.arch]
    if (number !== undefined) run('perl', '-e', writing_back, String(number), path, ...ranges.map(String))
  }

  /**
   * Cuts the power: further writes fail. No process is within a sync at that moment, because ext4 reports success for some
   * syncs that it interrupts here.
   */
  cut(): void {
    whilePaused(this.folder, () => void run('perl', '-e', cutting, this.folder))
  }

  /** Mounts it again. Processes with open files on it must have ended, or be ending. */
  async restorePower(): Promise<void> {
    await this.unmount()
    this.mount()
  }

  /** Processes with open files on it may end later. */
  remove(): void {
    run('umount', '--lazy', this.folder)
    this.leash.kill()
    rmSync(this.home, { recursive: true })
  }
}

/** A shell that waits on a pipe from this process and removes the image when this process ends, however it ends. */
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

/** Why power cuts cannot be simulated on this machine; `null` if a trial cut kept exactly what was synced. */
export async function imageSkipReason(): Promise<string | null> {
  known ??= await tryCut().catch(
    (error: Error) => `cannot create a file system on a loop device: ${error.message.trim().split('\n').at(-1)}`,
  )
  return known
}

async function tryCut(): Promise<string | null> {
  if (process.platform !== 'linux') return 'loop devices need Linux'
  if (process.getuid?.() !== 0) return 'only root may mount an image'
  const image = new Image(16)
  try {
    const path = join(image.folder, 'a-file')
    writeFileSync(path, 'before')
    image.sync()
    writeFileSync(path, 'after')
    image.cut()
    await image.restorePower()
    return readFileSync(path, 'utf8') === 'before' ? null : 'a cut does not lose unsynced data'
  } finally {
    image.remove()
  }
}
