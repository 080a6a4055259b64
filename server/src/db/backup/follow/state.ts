/**
 * Finds and reads what restores a moment from a continuous backup: the newest base at or before it, and the segments behind that
 * base. Every object is checked, and the links of the chain; a missing, damaged or exchanged one is refused by its name.
 */
import { db_limits } from '../../limits.ts'
import { readHead } from './chain.ts'
import type { Destination } from './destination.ts'
import {
  type Base,
  type BasePart,
  baseFolder,
  baseName,
  basesOf,
  type ClusterBase,
  chainsOf,
  firstMoment,
  logFolder,
  partName,
  type SegmentEntry,
  type SegmentHead,
  segmentFolder,
  segmentFolders,
  segmentsIn,
} from './layout.ts'
import { BadDestination, openNamed } from './marker.ts'
import type { BackupKey } from './object.ts'

/** A moment that can be restored. */
export interface State {
  readonly base: Base
  readonly segments: readonly SegmentEntry[]
  /** The segment behind them, which has commits from after the moment and may have some from before it. */
  readonly behind: SegmentEntry | null
  /** Milliseconds: up to then, nothing was committed behind the last segment; 0 if the head does not say. */
  readonly covered: number
}

/** A moment of a PostgreSQL server. */
export type ClusterState = State & { readonly base: Base & { readonly cluster: ClusterBase } }

export const isCluster = (state: State): state is ClusterState => state.base.cluster !== undefined

export interface Restored {
  readonly chain: string
  /** Milliseconds: it has all commits made by then. */
  readonly covered: number
  readonly base: number
  readonly segments: number
  readonly bytes: number
}

/** Finds the newest state at or before `at` (milliseconds); null means the newest of all. Rejects with BadDestination. */
export async function findState(destination: Destination, key: BackupKey | null, at: number | null): Promise<State> {
  const later: (readonly [chain: string, moment: number])[] = []
  for (const chain of await chainsOf(destination)) {
    for (const moment of await basesOf(destination, chain)) {
      // A later base is not opened: it may be damaged.
      const base = at !== null && moment > at ? null : await readBase(destination, key, chain, moment)
      if (base !== null && (at === null || firstMoment(base) <= at))
        return await completeState(destination, key, base, at)
      later.push([chain, moment])
    }
  }
  let oldest: Base | null = null
  for (const [chain, moment] of later.toReversed()) oldest ??= await readBase(destination, key, chain, moment)
  const first = oldest === null ? 'it has no complete base' : `its first moment is ${shown(firstMoment(oldest))}`
  throw new BadDestination(
    `${destination.place} cannot restore ${at === null ? 'anything' : `the state at ${shown(at)}`}: ${first}`,
  )
}

/** Null if the base is not complete. */
async function readBase(destination: Destination, key: BackupKey | null, chain: string, at: number) {
  const name = baseName(chain, at)
  const bytes = await destination.get(name)
  if (bytes === null) return null
  const { head } = await openNamed<Base>(bytes, name, 'base', key)
  if (head.chain !== chain || head.at !== at) throw new BadDestination(`${name} is another base`)
  return head
}

const shown = (at: number) => new Date(at).toISOString()

async function completeState(destination: Destination, key: BackupKey | null, base: Base, at: number | null) {
  const { chain, first, last } = base
  const head = await readHead(destination, chain, key)
  const found: SegmentEntry[] = []
  for (const folder of await segmentFolders(destination, chain)) {
    if (folder >= segmentFolder(first.number)) found.push(...(await segmentsIn(destination, chain, folder)))
  }
  const entries = found.filter(({ number }) => number >= first.number)
  const used = entries.filter(({ until }) => at === null || until <= at)
  const missing = (number: number) =>
    new BadDestination(`segment ${number} is missing in ${logFolder(chain)} of ${destination.place}`)
  for (const [i, { number, name }] of used.entries()) {
    if (number < first.number + i) throw new BadDestination(`${name} has the number of another segment`)
    if (number > first.number + i) throw missing(first.number + i)
  }
  // What is said to be there must be there, and what comes after the moment must follow.
  const next = first.number + used.length
  const isSaid = head !== null && (at === null || head.until <= at) && head.number >= next
  const behind = entries.find(({ until }) => at !== null && until > at)
  if (last >= next || isSaid || (behind !== undefined && behind.number !== next)) throw missing(next)
  const isHead = head !== null && head.number < next
  return {
    base,
    segments: used,
    behind: behind ?? null,
    covered: isHead ? Math.min(head.covered, at ?? head.covered) : 0,
  }
}

/** The pieces of a base in order. Rejects with BadDestination. */
export async function* basePieces(destination: Destination, key: BackupKey | null, base: Base) {
  const { chain, at, parts } = base
  let read = 0
  for (const [i, sum] of parts.entries()) {
    const name = partName(baseFolder(chain, at), i + 1)
    const bytes = await destination.get(name)
    if (bytes === null) throw new BadDestination(`${name} is missing`)
    const { head, content, sha256 } = await openNamed<BasePart>(bytes, name, 'base part', key)
    const isOwn = head.chain === chain && head.at === at && head.number === i + 1 && sha256 === sum
    if (!isOwn) throw new BadDestination(`${name} is not the part that the base was made of`)
    yield content
    read += content.length
  }
  if (read !== base.bytes) throw new BadDestination(`${baseName(chain, at)} has ${read} of ${base.bytes} bytes`)
}

/** Segments in order, each with its name. The first one must complete the base. Rejects with BadDestination. */
export async function* linkedSegments<S extends SegmentHead>(
  destination: Destination,
  key: BackupKey | null,
  base: Base,
  entries: readonly SegmentEntry[],
) {
  let { number, previous } = base.first
  for await (const { name, bytes } of readAhead(destination, entries)) {
    const { head, content, sha256 } = await openNamed<S>(bytes, name, 'segment', key)
    if (head.number !== number || head.chain !== base.chain)
      throw new BadDestination(`${name} is segment ${head.number} of chain ${head.chain}`)
    if (head.previous !== previous) throw new BadDestination(`${name} does not continue the segment before`)
    yield { name, head, content }
    number++
    previous = sha256
  }
}

/** The objects of segments in order; a few are read ahead. */
async function* readAhead(destination: Destination, entries: readonly SegmentEntry[]) {
  const reading: { readonly name: string; readonly bytes: Promise<Buffer | null> }[] = []
  for (let next = 0; next < entries.length || reading.length > 0; ) {
    while (reading.length < db_limits.follow_read_ahead && next < entries.length) {
      const { name } = entries[next++] as SegmentEntry
      const bytes = destination.get(name)
      // A failure is thrown when its turn comes.
      bytes.catch(() => {})
      reading.push({ name, bytes })
    }
    const { name, bytes } = reading.shift() as (typeof reading)[number]
    const read = await bytes
    if (read === null) throw new BadDestination(`${name} is missing`)
    yield { name, bytes: read }
  }
}
