/**
 * What a write-ahead log shows when it is opened may not be on disk. After a failed sync the system keeps showing pages
 * that it has dropped: no later sync writes them, but SQLite accepts their commits when it opens the log again. A power
 * failure would lose these commits and all later ones. A process that opens a log for writing therefore writes all of
 * it once more.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'

const piece_bytes = 2 ** 20

/**
 * Writes the log of a database file to disk, as it is. No other process may write to it meanwhile: call it in a
 * transaction.
 */
export async function syncLog(file: string): Promise<void> {
  try {
    const log = await open(`${file}-wal`, 'r+')
    try {
      if (await rewrite(log)) await log.sync()
    } finally {
      await log.close()
    }
  } catch (error) {
    throw new StoreUnavailable('the write-ahead log cannot be written to disk', error)
  }
}

/** False if the log was empty. */
async function rewrite(log: FileHandle): Promise<boolean> {
  const piece = Buffer.alloc(piece_bytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await log.read(piece, 0, piece_bytes, at)
    if (bytesRead === 0) return at > 0
    for (let done = 0; done < bytesRead; ) {
      done += (await log.write(piece, done, bytesRead - done, at + done)).bytesWritten
    }
    at += bytesRead
  }
}
