/**
 * What lies where in the destination of a continuous backup:
 *
 *     atrium-backup                              that it is one, and with which key
 *     chains/<chain>/head                        up to when everything is there
 *     chains/<chain>/log/<number/10000>/<number>-<until>   segments of the write-ahead log
 *     chains/<chain>/bases/<at>/part-<number>    the database file, or the files of a PostgreSQL cluster, in parts
 *     chains/<chain>/bases/<at>/base             written last: a base without it is not complete
 *     files/<key of the content>/part-<number>, content
 *
 * A chain is a log without a gap. Its segments are numbered from 1, and each names the hash of the one before.
 */
import type { Destination } from './destination.ts'

export const follow_format = 1

export interface Marker {
  readonly kind: 'atrium-backup'
  readonly format: number
  /** Null: nothing is encrypted. */
  readonly key: string | null
}

export interface SegmentLink {
  readonly number: number
  /** Hash of the segment before; null for the first of the chain. */
  readonly previous: string | null
}

/** What every segment says, whatever log it is of. */
export interface SegmentHead extends SegmentLink {
  readonly kind: 'segment'
  readonly chain: string
  /** The segment with the beginning of this log; of PostgreSQL's log: of this file of it. */
  readonly first: SegmentLink
  /** Milliseconds: its commits were made by then. */
  readonly until: number
  /** Milliseconds: all commits made by then are in this segment or in earlier ones. */
  readonly covered: number
}

/** Frames of SQLite's write-ahead log. */
export interface Segment extends SegmentHead {
  /** The header of the write-ahead log, in hexadecimal. */
  readonly log: string
  /** Frames of the log before this segment, and after it. */
  readonly from: number
  readonly to: number
  /** Checksum of the last frame. */
  readonly sum: readonly [number, number]
  /** Pages of the database after the last frame; 0 if it ends no commit. */
  readonly pages: number
}

/** Bytes of PostgreSQL's write-ahead log; times are those of the server's clock. */
export interface ServerSegment extends SegmentHead {
  readonly server: {
    /** The identifier of the cluster. */
    readonly system: string
    readonly timeline: number
    /** Positions in the log. */
    readonly from: number
    readonly to: number
  }
}

export interface Base {
  readonly kind: 'base'
  readonly chain: string
  /** Milliseconds: its name. `firstMoment` says what can be restored from it. */
  readonly at: number
  /** Milliseconds: all commits made by then are in it. */
  readonly covered: number
  /** The segments from `first` to `last` complete it; none if `last` is smaller. */
  readonly first: SegmentLink
  readonly last: number
  readonly bytes: number
  /** Hashes of the parts. */
  readonly parts: readonly string[]
  /** Of a PostgreSQL cluster only. */
  readonly cluster?: ClusterBase
}

export interface ClusterBase {
  /** The release: 15 to 18. */
  readonly release: number
  /** The identifier of the cluster. */
  readonly system: string
  readonly timeline: number
  /** The log from `start` to `end` completes it. */
  readonly start: number
  readonly end: number
  /** Bytes of the tar archive; those behind it are the manifest of its files. */
  readonly archive_bytes: number
  /** The database of Atrium, and a role that may read it. */
  readonly database: string
  readonly role: string
  /** Milliseconds: the first moment that can be restored from it; `at` is when copying began. */
  readonly ready: number
}

/** The first moment that can be restored from a base. */
export const firstMoment = ({ at, cluster }: Base): number => cluster?.ready ?? at

export interface BasePart {
  readonly kind: 'base part'
  readonly chain: string
  readonly at: number
  readonly number: number
}

export interface ChainHead {
  readonly kind: 'head'
  readonly chain: string
  /** The newest segment; 0 for none. */
  readonly number: number
  /** Its `until`. */
  readonly until: number
  readonly sha256: string | null
  /** Milliseconds: all commits made by then are in segments. */
  readonly covered: number
  /** Fingerprint of the secret key of the installation. */
  readonly secret_key: string
}

const segments_per_folder = 10_000
const digits = (value: number, count: number) => String(value).padStart(count, '0')

/** Chains sort by the moment at which they began, in milliseconds. */
export const chainName = (began: number, random: string) => `${digits(began, 13)}-${random}`
const chain_form = /^\d{13}-[0-9a-f]{8}$/

export const markerName = 'atrium-backup'
export const headName = (chain: string) => `chains/${chain}/head`
export const logFolder = (chain: string) => `chains/${chain}/log`
const basesFolder = (chain: string) => `chains/${chain}/bases`
export const baseFolder = (chain: string, at: number) => `${basesFolder(chain)}/${digits(at, 13)}`
export const baseName = (chain: string, at: number) => `${baseFolder(chain, at)}/base`
export const partName = (folder: string, number: number) => `${folder}/part-${digits(number, 7)}`

/** The folder of a segment below `logFolder`. */
export const segmentFolder = (number: number) => digits(Math.floor(number / segments_per_folder), 6)
export const segmentName = (chain: string, number: number, until: number) =>
  `${logFolder(chain)}/${segmentFolder(number)}/${digits(number, 10)}-${digits(until, 13)}`

export interface SegmentEntry {
  readonly name: string
  readonly number: number
  readonly until: number
}

const segment_form = /^(\d{10})-(\d{13})$/

/** The segments in one folder of a log, in order. */
export async function segmentsIn(destination: Destination, chain: string, folder: string): Promise<SegmentEntry[]> {
  const path = `${logFolder(chain)}/${folder}`
  return (await destination.list(path)).flatMap((each) => {
    const [, number, until] = segment_form.exec(each) ?? []
    return number === undefined ? [] : [{ name: `${path}/${each}`, number: Number(number), until: Number(until) }]
  })
}

/** The folders of a log, in order. */
export async function segmentFolders(destination: Destination, chain: string): Promise<string[]> {
  const names = await destination.list(logFolder(chain))
  return names.filter((name) => /^\d{6}\/$/.test(name)).map((name) => name.slice(0, -1))
}

/** The newest segment of a chain; null before its first. */
export async function newestSegment(destination: Destination, chain: string): Promise<SegmentEntry | null> {
  for (const folder of (await segmentFolders(destination, chain)).reverse()) {
    const found = (await segmentsIn(destination, chain, folder)).at(-1)
    if (found !== undefined) return found
  }
  return null
}

/** The chains of a destination, the newest first. */
export async function chainsOf(destination: Destination): Promise<string[]> {
  const names = (await destination.list('chains')).map((name) => name.replace(/\/$/, ''))
  return names.filter((name) => chain_form.test(name)).reverse()
}

/** The moments of the bases of a chain, complete or not, the newest first. */
export async function basesOf(destination: Destination, chain: string): Promise<number[]> {
  const names = (await destination.list(basesFolder(chain))).filter((name) => /^\d{13}\/$/.test(name))
  return names.map((name) => Number(name.slice(0, -1))).reverse()
}
