/** `/healthz` and `/readyz`: probes for load balancers and supervisors, without credential. */
import type { Services } from '../api/services.ts'
import type { Handler, Reply } from './exchange.ts'
import type { Router } from './router.ts'

export function addHealth(router: Router<Handler>, services: Services): void {
  router.add('GET', '/healthz', () => reply(200, 'ok'))
  router.add('GET', '/readyz', async () => {
    try {
      await services.store.ping()
      return reply(200, 'ok')
    } catch {
      return reply(503, 'unavailable')
    }
  })
}

function reply(status: number, word: string): Reply {
  const headers = { 'Cache-Control': 'no-store', 'Content-Type': 'application/json; charset=utf-8' }
  return { status, headers, body: JSON.stringify({ status: word }) }
}
