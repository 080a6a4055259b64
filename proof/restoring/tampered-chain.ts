/** Changes one object that the newest state of a continuous backup needs; the restore must refuse it by its name. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeCluster } from '../../server/src/db/backup/follow/cluster-state.ts'
import { FolderDestination } from '../../server/src/db/backup/follow/destination.ts'
import { baseFolder, baseName, partName, type SegmentHead } from '../../server/src/db/backup/follow/layout.ts'
import { BadDestination } from '../../server/src/db/backup/follow/marker.ts'
import { BackupKey, openObject, toObject } from '../../server/src/db/backup/follow/object.ts'
import { writeState } from '../../server/src/db/backup/follow/sqlite-state.ts'
import { findState, isCluster } from '../../server/src/db/backup/follow/state.ts'
import type { Dice } from '../dice.ts'
import type { Trial } from '../row.ts'

const kinds = ['forged', 'flipped', 'truncated', 'removed', 'exchanged'] as const

type Kind = (typeof kinds)[number]

/** Kinds of damage, each about as often as the others. The first needs the links between segments to be noticed. */
export function damages(dice: Dice, count: number): Kind[] {
  const rounds = Array.from({ length: Math.ceil(count / kinds.length) }, () => [
    kinds[0],
    ...dice.shuffle(kinds.slice(1)),
  ])
  return rounds.flat().slice(0, count)
}

export interface Tampering {
  readonly trial: Trial
  readonly dice: Dice
  /** The folder of the destination. */
  readonly place: string
  /** The key in base64; null if the backup is not encrypted. */
  readonly secret: string | null
}

/** The newest chain must have at least three segments behind its base. */
export async function tamper({ trial, dice, place, secret }: Tampering, kind: Kind): Promise<void> {
  const destination = new FolderDestination(place)
  const key = secret === null ? null : new BackupKey(Buffer.from(secret, 'base64'))
  const state = await findState(destination, key, null)
  const { chain, at, parts } = state.base
  // The last segment has none behind it that would notice a forged one.
  const segments = state.segments.slice(0, -1).map(({ name }) => name)
  const others = [baseName(chain, at), ...parts.map((_, i) => partName(baseFolder(chain, at), i + 1))]
  const ofSegment = kind === 'exchanged' || kind === 'forged' || dice.chance(0.7)
  const name = dice.pick(ofSegment ? segments : others)
  const path = join(place, name)
  const kept = readFileSync(path)
  if (kind === 'flipped') {
    const bytes = Buffer.from(kept)
    const byte = dice.int(0, bytes.length - 1)
    bytes[byte] = (bytes[byte] as number) ^ (1 << dice.int(0, 7))
    writeFileSync(path, bytes)
  } else if (kind === 'truncated') writeFileSync(path, kept.subarray(0, dice.int(0, kept.length - 1)))
  else if (kind === 'removed') rmSync(path)
  else if (kind === 'exchanged') {
    const other = dice.pick(segments.filter((each) => each !== name))
    writeFileSync(path, readFileSync(join(place, other)))
  } else {
    // By someone with the key: only the next segment shows that it is another one.
    const { head, content } = await openObject<SegmentHead>(kept, 'segment', key)
    const forged: SegmentHead = { ...head, covered: head.covered + 1 }
    writeFileSync(path, (await toObject(forged, content, key)).bytes)
  }
  trial.count(`objects ${kind}`)
  const verdict = await refusal(destination, key)
  // A base without its manifest is not complete: an earlier one is used.
  const isEarlier = kind === 'removed' && name === baseName(chain, at)
  if (verdict === null && !isEarlier) trial.violated(`a restore took an object that was ${kind}: ${name}`)
  if (verdict !== null && !isEarlier && !/chains\/\d+-/.test(verdict))
    trial.violated(`a refusal names nothing: ${verdict}`)
  writeFileSync(path, kept)
}

/** Why the newest state cannot be restored; null if it can. */
async function refusal(destination: FolderDestination, key: BackupKey | null): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-tampered-'))
  const path = join(folder, 'restored')
  try {
    const state = await findState(destination, key, null)
    if (isCluster(state)) await writeCluster(destination, key, state, null, path)
    else await writeState(destination, key, state, path)
    return null
  } catch (error) {
    if (!(error instanceof BadDestination)) throw error
    if (existsSync(path) && !statSync(path).isDirectory())
      throw new Error('a refused restore left a file', { cause: error })
    return error.message
  } finally {
    rmSync(folder, { recursive: true })
  }
}
