/**
 * What a write-ahead log shows when it is opened need not be on disk. A sync that failed has let go of pages that memory
 * goes on showing: no later sync writes them, and SQLite takes their commits for good when it opens the log anew. What is
 * committed behind them would be lost together with them when the power fails. So whoever opens a log to write into it
 * writes all of it once more.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../store.ts'

const piece_bytes = 2 ** 20

/** Puts the log of a database file on disk, as it is. Nobody else may write into it meanwhile: call it in a transaction. */
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

/** Whether there was anything in it. */
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
