/**
 * SQLite for the simulated processes: the real one, on files in memory. When a process is killed, its commits stay and the rest
 * is rolled back; dead processes open and write nothing.
 */
import { type DatabaseSyncOptions, DatabaseSync as RealDatabase } from 'node:sqlite'

/** An open resource of a process. */
export interface Held {
  readonly isOpen: boolean
  close(): void
}

/** The process that opens databases. */
export interface Opener {
  readonly isDead: boolean
  opened(held: Held): void
  /** Called around each commit, which `commit` carries out. */
  committing(commit: () => void): void
}

let opener: () => Opener | null = () => null

/** From now on databases and files belong to the process that `current` returns. */
export function openFor(current: () => Opener | null): void {
  opener = current
}

export function currentOpener(): Opener | null {
  return opener()
}

export class DatabaseSync extends RealDatabase {
  private readonly owner: Opener | null

  constructor(path: string, options: DatabaseSyncOptions = {}) {
    const owner = opener()
    if (owner?.isDead === true) throw new Error('a killed process opens nothing')
    // Waiting for a lock would block the thread, and so the process that holds the lock.
    super(path, { ...options, timeout: 0 })
    this.owner = owner
    owner?.opened(this)
  }

  override exec(text: string): void {
    if (text === 'commit' && this.owner !== null) this.owner.committing(() => super.exec(text))
    else super.exec(text)
  }
}
