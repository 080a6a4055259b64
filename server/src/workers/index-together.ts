/**
 * The transactions of a worker that indexes realms. On a PostgreSQL server, or a node of Citus, a transaction carries many realms, because
 * it costs about the same with one: few that are far behind, or many with little each. A realm that fails one goes on by itself for a while, so that it neither stops the others nor makes them repeat.
 */
import { performance } from 'node:perf_hooks'
import type { Services } from '../api/services.ts'
import type { Store, ViewOf } from '../db/store.ts'
import { worker_limits } from './limits.ts'
import { pauseAfterBatch, timed } from './pause.ts'

/** A realm that is behind. */
interface RealmToIndex {
  readonly realm: number
  readonly organization: string
  /** Events that are not indexed; null while its objects are walked. */
  readonly behind: number | null
}

/** A realm of a transaction. */
interface Place {
  readonly realm: number
  readonly organization: string
  /** The most events or objects that are indexed. */
  readonly count: number
}

interface Step {
  readonly now: number
  readonly numbersRealms: boolean
}

export interface Indexing {
  /** Shown in the log. */
  readonly worker: string
  /** The most events or objects of a realm in a transaction. */
  readonly count: number
  readonly index: (viewOf: ViewOf, places: readonly Place[], step: Step) => Promise<number>
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
        setApart(services.store, indexing, batch[0] as Place)
        continue
      }
      services.log.warn('realms could not be indexed together', { worker: indexing.worker, error: String(error) })
      batches.push(...batch.map((place) => [place]))
    }
  }
  if (failure !== null) throw failure.error
  return done
}

function setApart(store: Store, { worker }: Indexing, { realm }: Place): void {
  const failed = apart.get(store) ?? new Map<string, number>()
  apart.set(store, failed.set(`${worker} ${realm}`, performance.now() + worker_limits.index_apart_ms))
}

function batchesOf(store: Store, realms: readonly RealmToIndex[], { worker, count }: Indexing): Place[][] {
  const failed = apart.get(store)
  const serverOf = ({ realm, organization }: Place): string | null => {
    const isApart = (failed?.get(`${worker} ${realm}`) ?? 0) > performance.now()
    return isApart ? null : store.serverOf({ organization, realms: [realm] })
  }
  const places = realms.map(({ realm, organization, behind }) => {
    return { realm, organization, count: Math.max(1, Math.min(behind ?? count, count)) }
  })
  const groups = Map.groupBy(places, serverOf)
  const alone = groups.get(null) ?? []
  groups.delete(null)
  const together = [...groups.values()].flatMap((group) => filled(group, count * worker_limits.index_batch_factor))
  return [...together, ...alone.map((place) => [place])]
}

/** Batches in the order of the places that index at most `most` each. */
function filled(places: readonly Place[], most: number): Place[][] {
  const batches: Place[][] = []
  let sum = Number.POSITIVE_INFINITY
  for (const place of places) {
    sum += place.count
    if (sum > most) {
      batches.push([])
      sum = place.count
    }
    batches.at(-1)?.push(place)
  }
  return batches
}

async function indexBatch(
  { store, clock }: Services,
  batch: readonly Place[],
  { index }: Indexing,
  stop: AbortSignal,
): Promise<number> {
  const step = { now: clock.now(), numbersRealms: store.isDistributed }
  const scopes = batch.map(({ organization, realm }) => ({ organization, realms: [realm] }))
  const { count, spent_ms } = await store.writeAcross(scopes, (viewOf) => timed(() => index(viewOf, batch, step)))
  await pauseAfterBatch(spent_ms, stop)
  return count
}
