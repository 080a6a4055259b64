/** The chain that a follower extends: segments with numbers and hashes, and the moment up to which it is complete. */
import type { Destination } from './destination.ts'
import {
  type ChainHead,
  chainName,
  chainsOf,
  headName,
  newestSegment,
  type SegmentHead,
  type SegmentLink,
  segmentName,
} from './layout.ts'
import { BadDestination, openNamed } from './marker.ts'
import { type BackupKey, openObject, toObject } from './object.ts'

/** What a segment holds: bytes of a log that follow those of the segment before. */
export interface LogPart<S extends SegmentHead> {
  /** What the segment says beyond what every one says. */
  readonly about: Omit<S, keyof SegmentHead>
  /** Whether a log begins with it. */
  readonly startsLog: boolean
  readonly content: Buffer
}

export class Chain {
  readonly name: string
  /** Milliseconds: all commits made by then are in segments. */
  covered: number
  private readonly destination: Destination
  private readonly key: BackupKey | null
  private number = 0
  private sha256: string | null = null
  /** The segment with the first frame of the present log. */
  private first: SegmentLink | null = null
  /** Milliseconds: `until` of the newest segment. */
  private until: number
  /** A segment whose storing failed: its bytes stay the same, because the destination may have it. */
  private pending: { readonly name: string; readonly bytes: Buffer } | null = null

  private constructor(destination: Destination, key: BackupKey | null, name: string, covered: number) {
    this.destination = destination
    this.key = key
    this.name = name
    this.covered = covered
    this.until = covered
  }

  /** A new chain. `random`: eight hexadecimal digits. */
  static async begin(destination: Destination, key: BackupKey | null, now: number, random: string): Promise<Chain> {
    const newest = (await chainsOf(destination))[0]
    // The clock may have been set back.
    const began = newest === undefined ? now : Math.max(now, Number.parseInt(newest, 10) + 1)
    return new Chain(destination, key, chainName(began, random), began)
  }

  /** The newest chain and its newest segment; null without a chain, or if its end is damaged. */
  static async newest(
    destination: Destination,
    key: BackupKey | null,
  ): Promise<{ readonly chain: Chain; readonly head: SegmentHead; readonly content: Buffer } | null> {
    const name = (await chainsOf(destination))[0]
    const entry = name === undefined ? null : await newestSegment(destination, name)
    const bytes = entry === null ? null : await destination.get(entry.name)
    if (name === undefined || entry === null || bytes === null) return null
    const found = await openObject<SegmentHead>(bytes, 'segment', key).catch(() => null)
    if (found === null) return null
    const head = await readHead(destination, name, key)
    const chain = new Chain(destination, key, name, Math.max(found.head.covered, head?.covered ?? 0))
    chain.until = Math.max(found.head.until, chain.covered)
    chain.number = found.head.number
    chain.sha256 = found.sha256
    chain.first = found.head.first
    return { chain, head: found.head, content: found.content }
  }

  /** The newest segment. */
  get last(): number {
    return this.number
  }

  /** The segment from which a base that begins now is completed. */
  get start(): SegmentLink {
    return this.first ?? { number: this.number + 1, previous: this.sha256 }
  }

  /** Stores what is pending. */
  async settle(): Promise<void> {
    if (this.pending === null) return
    await this.destination.put(this.pending.name, this.pending.bytes)
    this.pending = null
  }

  /** Appends a part whose commits were made by `now`. With it, all commits made by `covered` are in the chain. */
  async append<S extends SegmentHead>(part: LogPart<S>, now: number, covered: number = this.covered): Promise<void> {
    const until = Math.max(now, this.until)
    const link = { number: this.number + 1, previous: this.sha256 }
    const first = part.startsLog ? link : (this.first ?? link)
    const head: SegmentHead = {
      kind: 'segment',
      chain: this.name,
      ...link,
      ...part.about,
      first,
      until,
      covered: Math.max(covered, this.covered),
    }
    const made = await toObject(head, part.content, this.key)
    this.number = link.number
    this.sha256 = made.sha256
    this.first = first
    this.until = until
    this.pending = { name: segmentName(this.name, link.number, until), bytes: made.bytes }
    await this.settle()
  }

  /** All commits made by this moment are in segments. Returns the newest such moment: the clock may have been set back. */
  cover(moment: number): number {
    this.covered = Math.max(this.covered, moment)
    return this.covered
  }

  /** A moment by which the commits of all segments were made. */
  moment(now: number): number {
    return Math.max(now, this.until)
  }

  /** Tells the destination up to when the chain is complete. */
  async putHead(secret_key: string): Promise<void> {
    const { name: chain, number, until, sha256, covered } = this
    const head: ChainHead = { kind: 'head', chain, number, until, sha256, covered, secret_key }
    await this.destination.put(headName(chain), (await toObject(head, Buffer.alloc(0), this.key)).bytes)
  }
}

/** The head of a chain; null before the first. Rejects with BadDestination. */
export async function readHead(
  destination: Destination,
  chain: string,
  key: BackupKey | null,
): Promise<ChainHead | null> {
  const name = headName(chain)
  const bytes = await destination.get(name)
  if (bytes === null) return null
  const { head } = await openNamed<ChainHead>(bytes, name, 'head', key)
  if (head.chain !== chain) throw new BadDestination(`${name} belongs to the chain ${head.chain}`)
  return head
}
