/** `docs/mcp-tools.md`: every tool of the MCP server. */
import type { Operation } from '../api/declare/operation.ts'
import { flowDraft, notTools, toolName, toolOperations } from './tools.ts'

const introduction = `# Tools

Generated from the catalogue by \`npm run generate\`. Do not edit. How to connect a client: [mcp.md](mcp.md). A client sees the tools that
its key's scopes allow.

`

/** The page for a catalogue. */
export function toolsPage(catalogue: readonly Operation[]): string {
  const operations = toolOperations(catalogue)
  const lines = [
    `${operations.length} tools are operations. \`${flowDraft.name}\` calls several: [Drafting automations](mcp.md#drafting-automations).`,
    '',
    '| Tool | Does | Scope | Credits |',
    '|---|---|---|---|',
    ...operations.map(
      ({ id, summary, scope, credits }) =>
        `| \`${toolName(id)}\` | ${summary} | ${scope === null ? '—' : `\`${scope}\``} | ${credits} |`,
    ),
    '',
    'These operations are not tools:',
    '',
    '| Operation | Why |',
    '|---|---|',
    ...Object.entries(notTools).map(([id, reason]) => `| \`${id}\` | ${reason} |`),
  ]
  return `${introduction}${lines.join('\n')}\n`
}
