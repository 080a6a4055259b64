/** What consumers got, against the log as the database has it in the end. */
import { limits } from '../../server/src/lib/limits.ts'
import type { Consumer, HookConsumer } from './consumers.ts'
import type { Entry, Written } from './log.ts'
import type { Sent } from './writers.ts'

export interface Counts {
  missed: number
  doubled: number
  disordered: number
}

type Tell = (text: string) => void

/** Every event behind the consumer's beginning, once, in the order of the log. */
export function judgeConsumer(tell: Tell, log: readonly NonNullable<Written>[], consumer: Consumer): Counts {
  const { type } = consumer
  const wanted = log.filter((each) => each.sequence > consumer.from && (type === undefined || each.type === type))
  const counts = { missed: 0, doubled: 0, disordered: 0 }
  const times = new Map<string, number>()
  for (const { id } of consumer.got) times.set(id, (times.get(id) ?? 0) + 1)
  for (const { id, sequence } of wanted) {
    if (times.has(id)) continue
    counts.missed++
    tell(`${consumer.name} missed ${sequence}`)
  }
  counts.doubled = [...times.values()].filter((each) => each > 1).length
  if (counts.doubled > 0) tell(`${consumer.name} told ${counts.doubled} events more than once`)
  counts.disordered = disordered(consumer.got)
  if (counts.disordered > 0) tell(`${consumer.name} told ${counts.disordered} events too late`)
  const alien = consumer.got.length - wanted.filter(({ id }) => times.has(id)).length - counts.doubled
  if (alien > 0) tell(`${consumer.name} told ${alien} events that it should not have`)
  return counts
}

function disordered(got: readonly Entry[]): number {
  return got.filter(({ sequence }, i) => i > 0 && sequence < (got[i - 1]?.sequence ?? 0)).length
}

/**
 * Of an endpoint's arrivals: what it has taken does not come again, and first attempts begin in the order of the log, so that
 * no more than those under way can be overtaken by one.
 */
export function judgeArrivals(tell: Tell, { name, arrivals }: HookConsumer): Counts {
  const counts = { missed: 0, doubled: 0, disordered: 0 }
  const taken = new Set<string>()
  const recent: number[] = []
  for (const { id, sequence, attempt, succeeded } of arrivals) {
    if (taken.has(id)) {
      counts.doubled++
      tell(`${name} got ${sequence} again, which it had taken`)
    }
    if (succeeded) taken.add(id)
    if (attempt > 1) continue
    const overtaken = recent.filter((each) => each > sequence).length
    if (overtaken >= limits.webhook_in_flight_max) {
      counts.disordered++
      tell(`${name} got ${sequence} behind ${overtaken} later ones`)
    }
    recent.push(sequence)
    if (recent.length > 100) recent.shift()
  }
  return counts
}

/** The log itself: no gap, each write that was answered one commit in it, and in keeping with real time. */
export function judgeLog(tell: Tell, name: string, log: readonly NonNullable<Written>[], sent: readonly Sent[]): void {
  log.forEach(({ sequence }, i) => {
    if (sequence !== i + 1) tell(`${name}: ${sequence} stands where ${i + 1} should`)
  })
  const byKey = Map.groupBy(log, ({ idempotency_key }) => idempotency_key)
  for (const { key, status } of sent) {
    const commits = new Set(byKey.get(key)?.map(({ commit_id }) => commit_id)).size
    if (commits !== (status === 200 ? 1 : 0)) tell(`${name}: a write with status ${status} has ${commits} commits`)
  }
  judgeTime(tell, name, byKey, sent)
}

function judgeTime(
  tell: Tell,
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
      tell(`${name}: ${first} was written after ${latest} had been answered`)
    }
  }
}
