/** MCP over standard input and output; ends with the input. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Exchange, RemoteApi } from './remote-api.ts'
import { createMcpServer, type McpOptions } from './server.ts'

/** Serves the tools of the server that `exchange` calls. Errors of the connection go to `onError`. */
export function serveOverStdio(exchange: Exchange, onError: (error: Error) => void, options: McpOptions): void {
  const api = new RemoteApi(exchange)
  serveStdio(() => createMcpServer(api, options), { onerror: onError, maxSubscriptions: 0 })
}
