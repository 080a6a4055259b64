/** Segments of SQLite's write-ahead log: its committed frames. */
import type { Copied } from '../../sqlite/held-log.ts'
import { type LogPlace, readLogHeader } from '../../sqlite/log/frames.ts'
import type { LogPart } from './chain.ts'
import type { Segment, SegmentHead } from './layout.ts'

export function framesPart({ from, to, pages, bytes }: Copied): LogPart<Segment> {
  return {
    about: {
      log: to.header.bytes.toString('hex'),
      from: from.frame,
      to: to.frame,
      sum: [to.sum.first, to.sum.second],
      pages,
    },
    startsLog: from.frame === 0,
    content: bytes,
  }
}

/** Where the log continues after a segment; null if the segment does not say. */
export function placeAfter(head: SegmentHead): LogPlace | null {
  const { log, to, sum } = head as Segment
  const header = log === undefined ? null : readLogHeader(Buffer.from(log, 'hex'))
  return header === null ? null : { header, frame: to, sum: { first: sum[0], second: sum[1] } }
}
