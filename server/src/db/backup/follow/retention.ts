/**
 * Removes what no moment of the kept days needs. The newest complete base from before these days stays with everything after
 * it; only what is older is removed, the oldest first, so that an interruption leaves no gap.
 */
import type { Destination } from './destination.ts'
import { namesBelow } from './destination.ts'
import {
  type Base,
  baseFolder,
  baseName,
  basesOf,
  chainsOf,
  firstMoment,
  segmentFolder,
  segmentFolders,
  segmentsIn,
} from './layout.ts'
import { openNamed } from './marker.ts'
import type { BackupKey } from './object.ts'

/** `before`: in milliseconds; every moment from then on stays restorable. Returns the number of removed objects. */
export async function removeOld(destination: Destination, key: BackupKey | null, before: number): Promise<number> {
  const chains = await chainsOf(destination)
  for (const [i, chain] of chains.entries()) {
    const base = await newestBaseBefore(destination, chain, key, before)
    if (base === null) continue
    let removed = 0
    for (const older of chains.slice(i + 1).reverse()) removed += await removeBelow(destination, `chains/${older}`)
    removed += await removeBases(destination, chain, base.at)
    return removed + (await removeSegments(destination, chain, base.first.number))
  }
  return 0
}

async function newestBaseBefore(destination: Destination, chain: string, key: BackupKey | null, before: number) {
  for (const at of await basesOf(destination, chain)) {
    if (at > before) continue
    const name = baseName(chain, at)
    const bytes = await destination.get(name)
    const base = bytes === null ? null : (await openNamed<Base>(bytes, name, 'base', key)).head
    if (base !== null && firstMoment(base) <= before) return base
  }
  return null
}

async function removeBases(destination: Destination, chain: string, before: number): Promise<number> {
  let removed = 0
  for (const at of (await basesOf(destination, chain)).reverse()) {
    if (at >= before) break
    // Without this object, the base no longer counts as complete.
    await destination.remove(baseName(chain, at))
    removed += 1 + (await removeBelow(destination, baseFolder(chain, at)))
  }
  return removed
}

async function removeSegments(destination: Destination, chain: string, first: number): Promise<number> {
  let removed = 0
  for (const folder of await segmentFolders(destination, chain)) {
    if (folder > segmentFolder(first)) break
    for (const { name, number } of await segmentsIn(destination, chain, folder)) {
      if (number >= first) return removed
      await destination.remove(name)
      removed++
    }
  }
  return removed
}

async function removeBelow(destination: Destination, folder: string): Promise<number> {
  let removed = 0
  for await (const name of namesBelow(destination, folder)) {
    await destination.remove(name)
    removed++
  }
  return removed
}
