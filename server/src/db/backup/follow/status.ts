/**
 * What a follower and a drill last reported, in two files of the data directory: the doctor and the metrics read them, also
 * while nothing of the backup runs. A file is replaced as a whole.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { file_mode } from '../../../lib/private-path.ts'

export interface FollowStatus {
  readonly destination: string
  readonly chain: string | null
  /** Milliseconds: everything committed by then is at the destination; null before the first. */
  readonly covered: number | null
  /** Milliseconds: the first moment of the newest complete base of the chain; null without one. */
  readonly base: number | null
  /** Bytes of the write-ahead log; on PostgreSQL, of what the server keeps for the follower. */
  readonly log_bytes: number
  /** Contents of files at the destination; null if it holds none. */
  readonly files: number | null
  /** Milliseconds: when all content that files had then was there. */
  readonly files_covered: number | null
  /** What failed last, until it works again. */
  readonly error: string | null
}

export interface DrillStatus {
  readonly destination: string
  /** Milliseconds. */
  readonly at: number
  readonly took_ms: number
  readonly ok: boolean
  /** What was found. */
  readonly message: string
  /** Milliseconds: the moment that was restored; null if nothing was. */
  readonly until: number | null
}

/** Before the first look. */
export const startStatus = (destination: string, hasFiles: boolean): FollowStatus => ({
  ...{ destination, chain: null, covered: null, base: null, log_bytes: 0 },
  ...{ files: hasFiles ? 0 : null, files_covered: null, error: null },
})

const follow_file = 'backup-follow.json'
const drill_file = 'backup-drill.json'

export const readFollowStatus = (folder: string) => read<FollowStatus>(join(folder, follow_file))
export const readDrillStatus = (folder: string) => read<DrillStatus>(join(folder, drill_file))
export const writeFollowStatus = (folder: string, status: FollowStatus) => write(join(folder, follow_file), status)
export const writeDrillStatus = (folder: string, status: DrillStatus) => write(join(folder, drill_file), status)

/** The doctor and the metrics then expect no follower. */
export function removeFollowStatus(folder: string): void {
  for (const name of [follow_file, drill_file]) rmSync(join(folder, name), { force: true })
}

/** Null without a status, also if the file is not one. */
function read<T>(path: string): T | null {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof found === 'object' && found !== null ? (found as T) : null
  } catch {
    return null
  }
}

function write(path: string, status: object): void {
  const written = `${path}.${process.pid}`
  writeFileSync(written, `${JSON.stringify(status)}\n`, { mode: file_mode })
  renameSync(written, path)
}
