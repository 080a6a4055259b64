/** Compares what consumers received with the final log in the database. */
import { limits } from '../../server/src/api/limits.ts'
import type { Violated } from '../row.ts'
import type { Consumer, HookConsumer } from './consumers.ts'
import type { Entry, Written } from './log.ts'
import type { Sent } from './writers.ts'

export interface Counts {
  missed: number
  doubled: number
  disordered: number
}

/** Every event after the consumer's beginning, once, in the order of the log. */
export function judgeConsumer(violated: Violated, log: readonly NonNullable<Written>[], consumer: Consumer): Counts {
  const { type } = consumer
  const wanted = log.filter((each) => each.sequence > consumer.from && (type === undefined || each.type === type))
  const counts = { missed: 0, doubled: 0, disordered: 0 }
  const times = new Map<string, number>()
  for (const { id } of consumer.got) times.set(id, (times.get(id) ?? 0) + 1)
  for (const { id, sequence } of wanted) {
    if (times.has(id)) continue
    counts.missed++
    violated(`${consumer.name} missed ${sequence}`)
  }
  counts.doubled = [...times.values()].filter((each) => each > 1).length
  if (counts.doubled > 0) violated(`${consumer.name} got ${counts.doubled} events more than once`)
  counts.disordered = disordered(consumer.got)
  if (counts.disordered > 0) violated(`${consumer.name} got ${counts.disordered} events out of order`)
  const unwanted = consumer.got.length - wanted.filter(({ id }) => times.has(id)).length - counts.doubled
  if (unwanted > 0) violated(`${consumer.name} got ${unwanted} events that it should not have`)
  return counts
}

function disordered(got: readonly Entry[]): number {
  return got.filter(({ sequence }, i) => i > 0 && sequence < (got[i - 1]?.sequence ?? 0)).length
}

/**
 * An accepted event does not arrive again. First attempts begin in the order of the log, so one can be overtaken only by those
 * in flight with it.
 */
export function judgeArrivals(violated: Violated, { name, arrivals }: HookConsumer): Counts {
  const counts = { missed: 0, doubled: 0, disordered: 0 }
  const accepted = new Set<string>()
  const recent: number[] = []
  for (const { id, sequence, attempt, succeeded } of arrivals) {
    if (accepted.has(id)) {
      counts.doubled++
      violated(`${name} got ${sequence} again after accepting it`)
    }
    if (succeeded) accepted.add(id)
    if (attempt > 1) continue
    const overtaken = recent.filter((each) => each > sequence).length
    if (overtaken >= limits.webhook_in_flight_max) {
      counts.disordered++
      violated(`${name} got ${sequence} after ${overtaken} later events`)
    }
    recent.push(sequence)
    if (recent.length > 100) recent.shift()
  }
  return counts
}

/** The log has no gap, one commit per answered write, and an order consistent with real time. */
export function judgeLog(
  violated: Violated,
  name: string,
  log: readonly NonNullable<Written>[],
  sent: readonly Sent[],
): void {
  log.forEach(({ sequence }, i) => {
    if (sequence !== i + 1) violated(`${name}: sequence ${sequence} instead of ${i + 1}`)
  })
  const byKey = Map.groupBy(log, ({ idempotency_key }) => idempotency_key)
  for (const { key, status } of sent) {
    const commits = new Set(byKey.get(key)?.map(({ commit_id }) => commit_id)).size
    if (commits !== (status === 200 ? 1 : 0)) violated(`${name}: a write with status ${status} has ${commits} commits`)
  }
  judgeTime(violated, name, byKey, sent)
}

function judgeTime(
  violated: Violated,
  name: string,
  byKey: ReadonlyMap<string | null, readonly Entry[]>,
  sent: readonly Sent[],
): void {
  const done = sent.filter(({ status }) => status === 200)
  const ends = done.toSorted((a, b) => a.ended - b.ended)
  let ended = 0
  let latest = 0
  for (const each of done.toSorted((a, b) => a.began - b.began)) {
    for (; (ends[ended]?.ended ?? Number.POSITIVE_INFINITY) < each.began; ended++) {
      latest = Math.max(latest, byKey.get(ends[ended]?.key ?? '')?.at(-1)?.sequence ?? 0)
    }
    const first = byKey.get(each.key)?.[0]?.sequence
    if (first !== undefined && first < latest) {
      violated(`${name}: ${first} was written after ${latest} had been answered`)
    }
  }
}
