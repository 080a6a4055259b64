/** `docs/operations.md`: the whole API on a page. */
import type { Operation } from '../api/operation.ts'

const introduction = `# Operations

Made from the catalogue by \`npm run generate\`; do not edit. Each operation is declared in one file: the last noun of its path is
the folder below \`server/src/resources\`, the verb the file.

`

/** The page for a catalogue. */
export function operationsPage(catalogue: readonly Operation[]): string {
  const lines = [
    `${catalogue.length} operations. Credits are charged on success; a scope of — means that none is needed.`,
    '',
    '| Operation | Method and path | Scope | Credits | Events |',
    '|---|---|---|---|---|',
    ...catalogue.map(row),
  ]
  return `${introduction}${lines.join('\n')}\n`
}

function row(operation: Operation): string {
  const { id, method, path, scope, credits, emits } = operation
  const events = emits.map((event) => `\`${event.type}\``).join('<br>')
  return `| \`${id}\` | \`${method} ${path}\` | ${scope === null ? '—' : `\`${scope}\``} | ${credits} | ${events === '' ? '—' : events} |`
}
