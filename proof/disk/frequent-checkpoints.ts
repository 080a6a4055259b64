/**
 * Makes SQLite checkpoint after every few commits instead of after megabytes, so that disk faults and power cuts hit
 * checkpoints and reused write-ahead logs. These plants break nothing.
 */
import type { Plant } from '../plant.ts'
import { replace } from '../planted-fault.ts'

const file = 'server/src/db/limits.ts'

export const frequent_checkpoints: readonly Plant[] = [
  replace(file, 'checkpoint_frames:', 'checkpoint_frames: 60 ||'),
  replace(file, 'request_log_wal_pages:', 'request_log_wal_pages: 12 ||'),
  replace(file, 'checkpoint_last_frames:', 'checkpoint_last_frames: 12 ||'),
]
