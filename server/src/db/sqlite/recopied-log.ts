/**
 * Repairs a checkpoint that a disk fault interrupted. Checkpoints of SQLite copy the write-ahead log into the database
 * file piece by piece, and only the pass that reaches the log's end waits for the disk; earlier pieces count as copied
 * nevertheless. If that sync fails, the system drops all pages that it could not write, of all pieces: SQLite would
 * copy only the last piece again, and the file would miss the others. After a fault, all of them are therefore copied
 * once more while the log still has them.
 */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'

const log_head_bytes = 32
const frame_head_bytes = 24

/** Never closed: closing any handle of a file releases the locks that SQLite has on it (POSIX). */
const kept = new Map<string, number>()

function databaseOf(file: string): number {
  const opened = kept.get(file) ?? openSync(file, 'r+')
  kept.set(file, opened)
  return opened
}

/**
 * Copies the first `frames` frames of the log into the database file and waits for the disk. SQLite must have copied
 * these frames before, because then no reader needs the old pages, and the log must not start over meanwhile: call it
 * in a transaction.
 */
export function recopyLog(file: string, frames: number): void {
  if (frames === 0) return
  const database = databaseOf(file)
  const log = openSync(`${file}-wal`, 'r')
  try {
    const head = read(log, log_head_bytes, 0)
    const page_bytes = head.readUInt32BE(8)
    const at = (frame: number) => log_head_bytes + frame * (frame_head_bytes + page_bytes)
    const newest = new Map<number, number>()
    for (let frame = 0; frame < frames; frame++) {
      const of = read(log, frame_head_bytes, at(frame))
      if (!of.subarray(8, 16).equals(head.subarray(16, 24))) throw new Error('the write-ahead log has started over')
      newest.set(of.readUInt32BE(0), frame)
    }
    for (const [number, frame] of newest) {
      const page = read(log, page_bytes, at(frame) + frame_head_bytes)
      for (let done = 0; done < page_bytes; ) {
        done += writeSync(database, page, done, page_bytes - done, (number - 1) * page_bytes + done)
      }
    }
    fsyncSync(database)
  } finally {
    closeSync(log)
  }
}

function read(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, length, at) < length) throw new Error('the write-ahead log is shorter than it was')
  return bytes
}
