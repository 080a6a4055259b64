/**
 * SQLite as the simulated processes get it: the real one, on files in memory. What a process has committed stays when it is
 * killed, what it has not is rolled back, and the dead open nothing and write nothing.
 */
import { type DatabaseSyncOptions, DatabaseSync as RealDatabase } from 'node:sqlite'

/** What a process holds open. */
export interface Held {
  readonly isOpen: boolean
  close(): void
}

/** Who opens databases: a process, as far as they are concerned. */
export interface Opener {
  readonly isDead: boolean
  opened(held: Held): void
  /** Around each commit, which `commit` carries out. */
  committing(commit: () => void): void
}

let opener: () => Opener | null = () => null

/** From here on databases and files belong to whom `current` names. */
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
    if (owner?.isDead === true) throw new Error('a process that was killed opens nothing')
    // Who waits for a lock here would hold up whoever has it.
    super(path, { ...options, timeout: 0 })
    this.owner = owner
    owner?.opened(this)
  }

  override exec(text: string): void {
    if (text === 'commit' && this.owner !== null) this.owner.committing(() => super.exec(text))
    else super.exec(text)
  }
}
