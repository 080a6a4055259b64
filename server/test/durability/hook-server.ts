/** A server that kills itself when it passes the given point of an incoming webhook's transaction. Prints its URL. */
import { readConfig } from '../../src/config.ts'
import type { Store } from '../../src/db/store.ts'
import { type OpenServices, startServer } from '../../src/main.ts'

/** Before the transaction; at its end, before the commit; after the commit, before the answer. */
export type HookPoint = 'before' | 'inside' | 'committed'

const { environment, point } = JSON.parse(process.argv[2] as string) as {
  environment: Readonly<Record<string, string>>
  point: HookPoint
}

/** Does not return from the point at which the process dies. */
function pass(here: HookPoint): void {
  if (here === point) process.kill(process.pid, 'SIGKILL')
}

function plant({ store }: OpenServices): void {
  const write = store.write.bind(store)
  const mortal: Store['write'] = async (scope, job, options) => {
    // The counts of requests are written in the system's scope.
    if (scope === 'system') return await write(scope, job, options)
    pass('before')
    const value = await write(
      scope,
      async (tx) => {
        const made = await job(tx)
        pass('inside')
        return made
      },
      options,
    )
    pass('committed')
    return value
  }
  Object.assign(store, { write: mortal })
}

const server = await startServer(readConfig(environment), { prepare: async (services) => plant(services) })
process.stdout.write(`${server.url}\n`)
