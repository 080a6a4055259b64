/**
 * Checkpoints of SQLite come with every few commits and not only after megabytes, so that what befalls a disk meets them, and
 * the write-ahead log's reuse. These plants break nothing: they are an instrument.
 */
import type { Plant } from '../plant.ts'

const file = 'server/src/lib/process-limits.ts'

export const often: readonly Plant[] = [
  { file, find: 'checkpoint_frames:', put: 'checkpoint_frames: 60 ||' },
  { file, find: 'request_log_wal_pages:', put: 'request_log_wal_pages: 12 ||' },
  { file, find: 'checkpoint_last_frames:', put: 'checkpoint_last_frames: 12 ||' },
]
