/** MCP over this process's standard input and output; ends when the input does. */
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { type Exchange, RemoteApi } from './remote-api.ts'
import { createMcpServer } from './server.ts'

/** Serves the tools of the server behind `exchange`. What goes wrong with the connection itself is told to `failed`. */
export function serveOverStdio(exchange: Exchange, failed: (error: Error) => void): void {
  const api = new RemoteApi(exchange)
  serveStdio(() => createMcpServer(api), { onerror: failed, maxSubscriptions: 0 })
}
