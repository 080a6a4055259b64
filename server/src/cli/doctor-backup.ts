/**
 * What the doctor says about a continuous backup: how far it is, how its newest drill ended, and what PostgreSQL keeps for it.
 * Nothing without one.
 */
import { resolve } from 'node:path'
import { type DrillStatus, type FollowStatus, readDrillStatus, readFollowStatus } from '../db/backup/follow/status.ts'
import type { FollowerSlot } from '../db/backup/inspect.ts'
import { db_limits } from '../db/limits.ts'
import { MiB } from '../lib/units.ts'
import type { Check } from './doctor-check.ts'
import { cli_limits } from './limits.ts'

/** `now` is in milliseconds. */
export function checkContinuousBackup(folder: string, now: number): Check[] {
  const status = readFollowStatus(resolve(folder))
  if (status === null) return []
  return [checkFollower(status, now), checkDrill(status, readDrillStatus(resolve(folder)), now)]
}

/** A slot whose follower does not run lets the log grow until the disk is full. */
export function checkFollowerSlot(slot: FollowerSlot | null): Check[] {
  if (slot === null) return []
  const name = 'backup_slot'
  const run = "Run 'atrium backup --follow', or end it for good with 'atrium backup --unfollow'."
  if (slot.bytes === null)
    return [{ name, status: 'warn', found: 'PostgreSQL no longer keeps the log that was not copied', advice: run }]
  const found = `PostgreSQL keeps ${Math.round(slot.bytes / MiB)} MiB of its log for the follower`
  if (slot.active || slot.bytes < db_limits.follow_log_bytes_max) return [{ name, status: 'ok', found, advice: null }]
  return [{ name, status: 'warn', found: `${found}, which does not run`, advice: run }]
}

const iso = (at: number) => new Date(at).toISOString()

function checkFollower({ destination, covered, base, error }: FollowStatus, now: number): Check {
  const name = 'continuous_backup'
  const reason = error === null ? '' : `: ${error}`
  if (covered === null || base === null)
    return {
      ...{ name, status: 'warn', found: `${destination} has no complete base yet${reason}` },
      advice: "Nothing can be restored before the first base is complete. Is 'atrium backup --follow' running?",
    }
  const behind_ms = now - covered
  const found = `${destination} has all commits until ${iso(covered)}`
  if (behind_ms <= db_limits.follow_behind_ms) return { name, status: 'ok', found, advice: null }
  return {
    ...{ name, status: 'warn', found: `${found}, ${Math.round(behind_ms / 1000)} s behind${reason}` },
    advice:
      "Later commits exist on this machine only. Is 'atrium backup --follow' running, and does its destination answer?",
  }
}

function checkDrill({ destination }: FollowStatus, drill: DrillStatus | null, now: number): Check {
  const name = 'backup_drill'
  const advice = `Run 'atrium backup --drill ${destination}', and repeat it by a timer.`
  if (drill === null) return { name, status: 'warn', found: 'no restore was ever tried', advice }
  const found = `at ${iso(drill.at)}: ${drill.message}`
  if (!drill.ok) return { name, status: 'fail', found, advice: 'Correct what is said, then repeat the drill.' }
  if (now - drill.at > cli_limits.drill_age_ms) return { name, status: 'warn', found, advice }
  return { name, status: 'ok', found, advice: null }
}
