/**
 * Makes a continuous backup look at the log often, and the log start over after every few commits, so that kills hit what is
 * rare: the change from one log to the next, commits in several segments, bases under load. These plants break nothing.
 */
import { frequent_checkpoints } from '../disk/frequent-checkpoints.ts'
import type { Plant } from '../plant.ts'
import { replace } from '../planted-fault.ts'

const file = 'server/src/db/limits.ts'

export const follow_plants: readonly Plant[] = [
  ...frequent_checkpoints,
  replace(file, 'follow_interval_ms:', 'follow_interval_ms: 100 ||'),
  replace(file, 'follow_head_ms:', 'follow_head_ms: 500 ||'),
  replace(file, 'follow_segment_frames:', 'follow_segment_frames: 150 ||'),
  replace(file, 'follow_reset_frames:', 'follow_reset_frames: 40 ||'),
  // Rarely enough that a restore also needs segments from before and after a kill.
  replace(file, 'follow_base_ms:', 'follow_base_ms: 5000 ||'),
  replace(file, 'follow_base_pause_ms:', 'follow_base_pause_ms: 500 ||'),
]
