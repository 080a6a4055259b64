/** MCP agents: the official client, over HTTP to a world's server or over stdio through the real `bin/atrium mcp`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from './cli/terminal.ts'

/** The two generations of the protocol. */
export type Era = 'handshake' | 'no handshake'

export class Agent {
  readonly client: Client
  private readonly end: () => void

  constructor(client: Client, end: () => void = () => {}) {
    this.client = client
    this.end = end
  }

  /** The names of the tools offered to it. */
  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name)
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
    return await this.client.callTool({ name, arguments: args })
  }

  /** The result of a call that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  async do(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const result = await this.call(name, args)
    if (result.isError) throw new Error(`${name}: ${textOf(result)}`)
    return answerOf(result)
  }

  /** The error of a call that must fail. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  async fail(name: string, args: Record<string, unknown> = {}): Promise<any> {
    const result = await this.call(name, args)
    if (!result.isError) throw new Error(`${name} succeeded: ${textOf(result)}`)
    return (result.structuredContent as { error: unknown }).error
  }

  async close(): Promise<void> {
    await this.client.close()
    this.end()
  }
}

/** The API's answer in the result of a call that succeeded: its first text. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
export function answerOf({ content }: CallToolResult): any {
  const [first] = content
  return JSON.parse(first?.type === 'text' ? first.text : '')
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

function newClient(era: Era): Client {
  const mode = era === 'handshake' ? 'legacy' : { pin: '2026-07-28' }
  return new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } })
}

export async function overHttp(url: string, key: string, era: Era = 'handshake'): Promise<Agent> {
  const client = newClient(era)
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return new Agent(client)
}

export async function overStdio(
  url: string,
  key: string,
  era: Era = 'handshake',
  args: readonly string[] = [],
): Promise<Agent> {
  // Without the profiles of the user who runs the tests.
  const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'))
  const env = { ...getDefaultEnvironment(), XDG_CONFIG_HOME: folder, ATRIUM_URL: url, ATRIUM_KEY: key }
  const client = newClient(era)
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', ...args], env, stderr: 'ignore' }))
  return new Agent(client, () => rmSync(folder, { recursive: true, force: true }))
}

/** Both transports to the same tools. */
export const ways = { HTTP: overHttp, stdio: overStdio } as const
