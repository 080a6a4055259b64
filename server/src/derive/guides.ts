/** The guides for integrators in reading order, and the manuals they link to. */
export interface Reading {
  /** From the root of the repository. */
  readonly path: string
  /** Its name in the reference, equal to its heading. */
  readonly name: string
}

function guide(file: string, name: string): Reading {
  return { path: `docs/guides/${file}.md`, name }
}

export const guides: readonly Reading[] = [
  guide('README', 'Before you start'),
  guide('first-call', 'First call'),
  guide('idempotency', 'Idempotency and retries'),
  guide('lists', 'Lists and cursors'),
  guide('filters', 'Filters, fields, expand'),
  guide('conditional-requests', 'Conditional requests'),
  guide('errors', 'Handling errors'),
  guide('credits', 'Credits and rate limits'),
  guide('versions', 'Versions'),
  guide('webhooks', 'Webhooks'),
  guide('stream', 'The event stream'),
  guide('exports', 'Exporting tasks'),
  guide('automations', 'Automating work'),
  guide('dry-run', 'Dry runs'),
  guide('sign-in-of-applications', 'Sign-in of applications'),
  guide('clients', 'SDK, MCP and command line'),
]

export const manuals: readonly Reading[] = [
  { path: 'docs/automations.md', name: 'Automations in full' },
  { path: 'sdk/typescript/README.md', name: 'TypeScript SDK' },
  { path: 'sdk/python/README.md', name: 'Python SDK' },
  { path: 'docs/mcp.md', name: 'MCP server' },
  { path: 'docs/command-line.md', name: 'Command line' },
  { path: 'docs/conform.md', name: 'Conformance' },
]
