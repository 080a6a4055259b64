/** Is the process alive, can it serve: for load balancers and supervisors, without credential. */
import type { FastifyInstance } from 'fastify'
import type { Services } from '../api/services.ts'

export function health(app: FastifyInstance, services: Services): void {
  app.get('/healthz', (_request, reply) => {
    reply.header('Cache-Control', 'no-store').send({ status: 'ok' })
  })
  app.get('/readyz', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
    try {
      await services.store.ping()
      return { status: 'ok' }
    } catch {
      reply.code(503)
      return { status: 'unavailable' }
    }
  })
}
