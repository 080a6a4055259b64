/** The client configurations in docs/mcp.md connect and call a tool. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { program } from '../cli/terminal.ts'
import { answerOf } from '../mcp.ts'
import { openWorld, type World } from '../world.ts'

interface Entry {
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly command?: string
  readonly args?: string[]
  readonly env?: Record<string, string>
}

interface Configuration {
  readonly mcpServers?: { readonly atrium: Entry }
  readonly servers?: { readonly atrium: Entry }
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/mcp.md'), 'utf8')
const blocks = [...page.matchAll(/^\*\*([\w ]+)\*\*.*?^```json\n(.*?)^```$/gms)]
const places = /\$\{(?:env:)?ATRIUM_KEY\}|\$\{input:atrium-key\}|(?<=")atrium-key(?="\s*\})/g

let world: World
before(async () => {
  world = await openWorld('sqlite')
})
after(() => world.close())

for (const [, name, text] of blocks) {
  it(`the configuration of ${name} connects`, async () => {
    const filled = String(text)
      .replaceAll('http://127.0.0.1:4010', world.server.url)
      .replaceAll('/path/to/atrium/bin/atrium', program)
      .replaceAll(places, world.acme.key)
    const { mcpServers, servers } = JSON.parse(filled) as Configuration
    const { url, headers, command, args, env } = (mcpServers ?? servers ?? assert.fail(filled)).atrium
    const client = new Client({ name: String(name), version: '1' })
    await client.connect(
      url === undefined
        ? new StdioClientTransport({
            command: String(command),
            args: args ?? [],
            env: { ...getDefaultEnvironment(), ...env },
            stderr: 'ignore',
          })
        : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: headers ?? {} } }),
    )
    const me = await client.callTool({ name: 'me_retrieve' })
    assert.equal(answerOf(me).organization.id, world.acme.id)
    await client.close()
  })
}

it('docs/mcp.md configures four clients', () => {
  assert.deepEqual(
    blocks.map(([, name]) => name),
    ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code'],
  )
})
