/** `/mcp`: the MCP server on the same listener. Its modules are loaded on the first request. */
import type { Services } from '../api/services.ts'
import { mcp_limits } from '../mcp/limits.ts'
import type { Handler } from './exchange.ts'
import type { Router } from './router.ts'

export function addMcp(router: Router<Handler>, services: Services): void {
  const handler: Handler = async (request) => {
    const { answerMcp } = await import('../mcp/endpoint.ts')
    return await answerMcp(services, { ...request, body: () => request.body(mcp_limits.mcp_body_bytes_max) })
  }
  for (const method of ['GET', 'POST', 'DELETE']) router.add(method, '/mcp', handler)
}
