import { resolve } from 'node:path'
import { connect, connectionOptions } from './client/connection.ts'
import { command, Failure, type Option } from './command.ts'
import { cli_limits } from './limits.ts'
import { sentence } from './print.ts'

const { url, profile, keyFile } = connectionOptions

const tools = {
  shows: '<set>',
  does: 'List only the core tools, for finding, planning and doing tasks.',
  choices: ['core'],
} as const satisfies Option

/** Serves MCP over standard input and output, for clients that start a program. A running server does the work. */
export const mcp = command({
  name: 'mcp',
  group: 'Using the API',
  summary: 'Serve the API to AI agents over stdio (MCP)',
  details:
    'For MCP clients that start a program: Claude Desktop, Claude Code, Cursor, VS Code. It needs no database: every call\n' +
    'goes over HTTP to a running server, which checks the key, its scopes and its credits. Clients that use HTTP connect to\n' +
    '/mcp of the server instead. docs/mcp.md shows the settings of each client.',
  options: { url, profile, keyFile, tools },
  examples: ['ATRIUM_KEY=atr_live_… atrium mcp', 'atrium mcp --url https://atrium.example --key-file ~/.atrium-key'],
  async run(given) {
    // Standard output belongs to the protocol, and an agent does not wait for long.
    const client = connect(given, {
      retries: cli_limits.mcp_retries,
      waitSeconds: cli_limits.mcp_wait_seconds_max,
      say: () => {},
    })
    const { serveOverStdio } = await import('../mcp/stdio.ts')
    const { Unreachable } = await import('../mcp/api.ts')
    const { core_tools } = await import('../mcp/core-tools.ts')
    const { openFile } = await import('./client/read-in.ts')
    serveOverStdio(
      async (sending) => {
        const reply = await client.send(sending).catch((error: unknown) => {
          throw error instanceof Failure ? new Unreachable(error.message) : error
        })
        return { status: reply.status, body: reply.text, header: (name) => reply.headers.get(name) }
      },
      (error) => process.stderr.write(`atrium mcp: ${sentence(error.message)}\n`),
      {
        lists: given.tools === 'core' ? (tool) => core_tools.has(tool) : undefined,
        openFile: (path) => openFile(resolve(path)),
      },
    )
    return null
  },
})
