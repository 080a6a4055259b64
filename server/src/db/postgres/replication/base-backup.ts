/** A base backup of a cluster over a connection: the bytes of one tar archive, then those of the manifest of its files. */
import { db_limits } from '../../limits.ts'
import { DatabaseMisconfigured } from '../../store.ts'
import { ReplicationConnection } from './connection.ts'
import { readPosition } from './positions.ts'

const archive = 0x6e // n
const data = 0x64 // d
const manifest = 0x6d // m

export interface BaseBackup {
  /** The log from here… */
  readonly start: number
  /** …to here completes it. */
  readonly end: number
  readonly timeline: number
  /** Bytes before the manifest. */
  readonly archive_bytes: number
}

const command =
  "BASE_BACKUP (LABEL 'atrium', CHECKPOINT 'fast', WAIT false, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')"

/** Yields the bytes, and returns what they are. Ends the connection in any case. */
export async function* baseBackup(url: string): AsyncGenerator<Buffer, BaseBackup> {
  const connection = await ReplicationConnection.open(url)
  const received: Buffer[] = []
  let waiting = 0
  let ended: { readonly error: Error | null } | null = null
  let wake = () => {}
  const results = connection.copy(command, (message) => {
    received.push(message)
    waiting += message.length
    if (waiting >= db_limits.follow_waiting_bytes_max) connection.pause()
    wake()
  })
  const end = (error: Error | null) => {
    ended = { error }
    wake()
  }
  results.then(
    () => end(null),
    (error) => end(error),
  )
  const parts = new Parts()
  try {
    for (;;) {
      for (let message = received.shift(); message !== undefined; message = received.shift()) {
        waiting -= message.length
        const bytes = parts.bytesOf(message)
        if (bytes !== null) yield bytes
      }
      connection.resume()
      if (ended !== null && received.length === 0) break
      if (received.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
    // Before the archive a row says where the log begins, and behind it one where it ends.
    const rows = (await results).flatMap(({ rows }) => rows).filter(({ recptr }) => recptr !== undefined)
    const [first, last] = [rows[0], rows.at(-1)]
    return {
      start: readPosition(String(first?.recptr)),
      end: readPosition(String(last?.recptr)),
      timeline: Number(first?.tli),
      archive_bytes: parts.archiveBytes,
    }
  } finally {
    connection.close()
  }
}

/** Which part the messages belong to. */
class Parts {
  archiveBytes = 0
  private archives = 0
  private isManifest = false

  /** The bytes of a message; null if it has none. */
  bytesOf(message: Buffer): Buffer | null {
    if (message[0] === manifest) this.isManifest = true
    if (message[0] === archive && ++this.archives > 1) throw new DatabaseMisconfigured(tablespaces)
    if (message[0] !== data) return null
    const bytes = message.subarray(1)
    if (!this.isManifest) this.archiveBytes += bytes.length
    return bytes
  }
}

export const tablespaces =
  'PostgreSQL cannot be followed: the cluster has tablespaces outside of its data directory. Move their tables to pg_default, or back the server up with pg_basebackup and an archive of its log.'
