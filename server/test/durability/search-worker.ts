/**
 * A process that indexes for search, or starts a rebuild, until it kills itself when it passes the given point for the given
 * time; without a point it indexes until its input ends.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import type { Store, Tx } from '../../src/db/store.ts'
import { openServices } from '../../src/main.ts'
import { rebuildAll } from '../../src/search/follow.ts'
import { searchIndexWorker } from '../../src/workers/search-index.ts'

/** Before a transaction, behind one of its writes, at its end but before its commit, after its commit. */
export type Point = 'before' | 'write' | 'inside' | 'behind'

export interface Orders {
  readonly environment: Readonly<Record<string, string>>
  readonly does: 'index' | 'rebuild'
  /** Objects or events of a transaction. */
  readonly batch: number
  readonly point: Point | null
  readonly times: number
}

const { environment, does, batch, point, times } = JSON.parse(process.argv[2] as string) as Orders

let passed = 0

/** Passes a point. Does not return from the one at which it is to die. */
function pass(here: Point): void {
  if (here === point && ++passed === times) process.kill(process.pid, 'SIGKILL')
}

/** A transaction that passes a point behind each write. */
function mortal(tx: Tx): Tx {
  return Object.assign(Object.create(tx), {
    write: (...args: Parameters<Tx['write']>) => {
      tx.write(...args)
      pass('write')
    },
    insert: (...args: Parameters<Tx['insert']>) => {
      tx.insert(...args)
      pass('write')
    },
  })
}

const services = await openServices(readConfig(environment))
const { store } = services

const mortalStore: Store = Object.assign(Object.create(store), {
  write: (async (scope, job, options) => {
    pass('before')
    const value = await store.write(
      scope,
      async (tx) => {
        const made = await job(mortal(tx))
        pass('inside')
        return made
      },
      options,
    )
    pass('behind')
    return value
  }) as Store['write'],
  writeAcross: (async (scopes, job) => {
    pass('before')
    const value = await store.writeAcross(scopes, async (viewOf) => {
      const made = await job((scope) => mortal(viewOf(scope)))
      pass('inside')
      return made
    })
    pass('behind')
    return value
  }) as Store['writeAcross'],
})

const stop = new AbortController()
process.stdin.on('end', () => stop.abort()).resume()
process.stdout.write('ready\n')
if (does === 'rebuild') {
  await rebuildAll(mortalStore)
  stop.abort()
}
while (!stop.signal.aborted) {
  await searchIndexWorker.run({ ...services, store: mortalStore }, batch, stop.signal)
  await sleep(5)
}
await services.close()
