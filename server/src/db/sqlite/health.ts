/** What the engine's errors have shown about the file since it was opened: damage, or writes that fail. */
import { isCorrupt, isUnwritable } from './errors.ts'

export class Health {
  /** The first error about a malformed page. A restart checks the file again. */
  damage: unknown = null
  /** The error of the newest write, if the disk refused it. */
  writeFault: unknown = null

  note(error: unknown): void {
    if (isCorrupt(error)) this.damage ??= error
    if (isUnwritable(error)) this.writeFault = error
  }

  committed(): void {
    this.writeFault = null
  }
}
