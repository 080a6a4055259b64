/** `/mcp`: the MCP server on the same listener. What belongs to it is loaded when the first asks. */
import type { FastifyInstance } from 'fastify'
import type { Services } from '../api/services.ts'
import { send, toRequest } from './exchange.ts'

export function mcp(app: FastifyInstance, services: Services): void {
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    onRequest: async (request, reply) => {
      const { answerMcp } = await import('../mcp/endpoint.ts')
      send(reply, await answerMcp(services, toRequest(request.raw, services.clock.now())))
      return reply
    },
    handler: (_request, reply) => reply,
  })
}
