/** Services of a process that kills itself when it passes the given point for the given time. */
import type { Store } from '../../src/db/store.ts'
import type { Egress } from '../../src/egress/egress.ts'
import type { OpenServices } from '../../src/main.ts'
import type { Pace } from './fast-clock.ts'

/** Before a transaction, at its end but before its commit, after its commit; before and after an outside call. */
export type Point = 'before' | 'inside' | 'behind' | 'sending' | 'sent'

/** The argument of a program with such services, as JSON. */
export interface Orders {
  readonly environment: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly point: Point | null
  readonly times: number
}

/** The system's own transactions are not counted. Without a point, the services live on. */
export function mortalServices(services: OpenServices, point: Point | null, times: number): OpenServices {
  let passed = 0
  /** Does not return from the point at which the process is to die. */
  const pass = (here: Point): void => {
    if (here === point && ++passed === times) process.kill(process.pid, 'SIGKILL')
  }
  const { store, egress } = services
  const write: Store['write'] = async (scope, job, options) => {
    if (scope === 'system') return await store.write(scope, job, options)
    pass('before')
    const value = await store.write(
      scope,
      async (tx) => {
        const made = await job(tx)
        pass('inside')
        return made
      },
      options,
    )
    pass('behind')
    return value
  }
  const send: Egress['send'] = async (request) => {
    pass('sending')
    const result = await egress.send(request)
    pass('sent')
    return result
  }
  return {
    ...services,
    store: Object.assign(Object.create(store), { write }),
    egress: Object.assign(Object.create(egress), { check: (text: string) => egress.check(text), send }),
  }
}
