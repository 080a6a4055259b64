/** Passes of a checkpoint over one file, by the thread that has the connection for them. */
import type { Pass } from './sqlite-checkpoints.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

export class Copier {
  private readonly connection: SqliteConnection
  /** Whether the file has what was copied into it, or a sync will tell; of what others have copied nothing is known. */
  isSure = false

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  pass(): Pass {
    try {
      if (!this.isSure) this.connection.recopy()
      this.isSure = true
      return this.connection.checkpoint()
    } catch {
      // The disk failed or the file is gone: writers will say so. The next pass opens it anew.
      this.connection.drop()
      this.isSure = this.isSure && this.recopied()
      return null
    }
  }

  private recopied(): boolean {
    try {
      this.connection.recopy()
      return true
    } catch {
      return false
    }
  }
}
