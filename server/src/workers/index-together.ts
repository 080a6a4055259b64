/**
 * The transactions of a worker that indexes realms. On a PostgreSQL server, or a node of Citus, a transaction carries many realms, because
 * it costs about the same with one: few that are far behind, or many with little each. A realm that fails one goes on by itself for a while, so that it neither stops the others nor makes them repeat.
 */
import { performance } from 'node:perf_hooks'
import type { Services } from '../api/services.ts'
import { type IndexStep, type RealmShare, type RealmToIndex, scopeOf } from '../db/realms/indexing.ts'
import type { Store, ViewOf } from '../db/store.ts'
import { worker_limits } from './limits.ts'
import { pauseAfterBatch, timed } from './pause.ts'

export interface Indexing {
  /** Shown in the log. */
  readonly worker: string
  /** The most events or objects of a realm in a transaction. */
  readonly count: number
  readonly index: (viewOf: ViewOf, shares: readonly RealmShare[], step: IndexStep) => Promise<number>
}

/** Realms that have failed a transaction, and until when they have their own. */
const apart = new WeakMap<Store, Map<string, number>>()

/**
 * Indexes the next of these realms, and pauses after each transaction. Returns how much was indexed. Rejects with the last failure
 * of a realm, after all others are indexed.
 */
export async function indexTogether(
  services: Services,
  realms: readonly RealmToIndex[],
  indexing: Indexing,
  stop: AbortSignal,
): Promise<number> {
  const batches = batchesOf(services.store, realms, indexing)
  let done = 0
  let failure: { readonly error: unknown } | null = null
  for (let batch = batches.shift(); batch !== undefined && !stop.aborted; batch = batches.shift()) {
    try {
      done += await indexBatch(services, batch, indexing, stop)
    } catch (error) {
      if (batch.length === 1) {
        failure = { error }
        setApart(services.store, indexing, batch[0] as RealmShare)
        continue
      }
      services.log.warn('realms could not be indexed together', { worker: indexing.worker, error: String(error) })
      batches.push(...batch.map((share) => [share]))
    }
  }
  if (failure !== null) throw failure.error
  return done
}

function setApart(store: Store, { worker }: Indexing, { realm }: RealmShare): void {
  const failed = apart.get(store) ?? new Map<string, number>()
  apart.set(store, failed.set(`${worker} ${realm}`, performance.now() + worker_limits.index_apart_ms))
}

function batchesOf(store: Store, realms: readonly RealmToIndex[], { worker, count }: Indexing): RealmShare[][] {
  const failed = apart.get(store)
  const serverOf = (share: RealmShare): string | null => {
    const isApart = (failed?.get(`${worker} ${share.realm}`) ?? 0) > performance.now()
    return isApart ? null : store.serverOf(scopeOf(share))
  }
  const shares = realms.map(({ realm, organization, behind }) => {
    return { realm, organization, count: Math.max(1, Math.min(behind ?? count, count)) }
  })
  const groups = Map.groupBy(shares, serverOf)
  const alone = groups.get(null) ?? []
  groups.delete(null)
  const together = [...groups.values()].flatMap((group) => filled(group, count * worker_limits.index_batch_factor))
  return [...together, ...alone.map((share) => [share])]
}

/** Batches in the order of the shares that index at most `most` each. */
function filled(shares: readonly RealmShare[], most: number): RealmShare[][] {
  const batches: RealmShare[][] = []
  let sum = Number.POSITIVE_INFINITY
  for (const share of shares) {
    sum += share.count
    if (sum > most) {
      batches.push([])
      sum = share.count
    }
    batches.at(-1)?.push(share)
  }
  return batches
}

async function indexBatch(
  { store, clock }: Services,
  batch: readonly RealmShare[],
  { index }: Indexing,
  stop: AbortSignal,
): Promise<number> {
  const step = { now: clock.now(), numbersRealms: store.isDistributed }
  const { count, spent_ms } = await store.writeAcross(batch.map(scopeOf), (viewOf) =>
    timed(() => index(viewOf, batch, step)),
  )
  await pauseAfterBatch(spent_ms, stop)
  return count
}
