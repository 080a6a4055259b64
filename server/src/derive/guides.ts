/** The guides for integrators, in the order in which they are read; also part of the reference page. */
export interface Guide {
  /** From the root of the repository. */
  readonly path: string
  /** What the reference calls it: as the page's own heading does. */
  readonly name: string
}

function guide(file: string, name: string): Guide {
  return { path: `docs/guides/${file}.md`, name }
}

export const guides: readonly Guide[] = [
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
  guide('clients', 'SDK, MCP and command line'),
]
