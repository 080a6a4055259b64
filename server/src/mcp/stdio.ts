/** MCP over standard input and output; ends with the input. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Exchange, RemoteApi } from './remote-api.ts'
import { createMcpServer } from './server.ts'

/**
 * Serves the tools of the server that `exchange` calls; `lists`: whether `tools/list` shows a tool. Errors of the
 * connection go to `onError`.
 */
export function serveOverStdio(
  exchange: Exchange,
  onError: (error: Error) => void,
  lists?: (tool: string) => boolean,
): void {
  const api = new RemoteApi(exchange)
  serveStdio(() => createMcpServer(api, lists), { onerror: onError, maxSubscriptions: 0 })
}
