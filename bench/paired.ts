/** Times of two requests in alternation, so that disturbances hit both alike. */
import { call } from '../server/test/call.ts'
import { median } from './report.ts'

export interface ListRequest {
  readonly url: string
  readonly key: string
  readonly path: string
}

export interface Times {
  /** Medians in milliseconds. */
  readonly first_ms: number
  readonly second_ms: number
  readonly pairs: number
  /** How many objects the second request's page has. */
  readonly found: number
}

const warm_pairs = 3

/** Sends both alternately until there are `pairs` of them or `seconds` have passed, at least three times. */
export async function pairedTimes(
  first: ListRequest,
  second: ListRequest,
  pairs: number,
  seconds: number,
): Promise<Times> {
  const times: [number[], number[]] = [[], []]
  const from = performance.now()
  let found = 0
  for (let pair = -warm_pairs; pair < pairs; pair++) {
    // A slow request needs no warm-up; its time is not spent twice.
    if (pair < 0 && performance.now() - from > seconds * 250) pair = 0
    if (pair >= 3 && performance.now() - from > seconds * 1000) break
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const { ms, count } = await timed(side === 0 ? first : second)
      if (pair >= 0) times[side].push(ms)
      if (side === 1) found = count
    }
  }
  return { first_ms: median(times[0]), second_ms: median(times[1]), pairs: times[0].length, found }
}

async function timed({ url, key, path }: ListRequest): Promise<{ ms: number; count: number }> {
  const from = performance.now()
  const reply = await call(url, 'GET', path, { key })
  const ms = performance.now() - from
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
  return { ms, count: reply.body.data.length }
}
