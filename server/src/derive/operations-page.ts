/** `docs/operations.md`: every operation in a table; extensions in a section of their own (contract/17#declaration). */
import type { Operation } from '../api/declare/operation.ts'

const introduction = `# Operations

Generated from the catalogue by \`npm run generate\`; do not edit. Each operation has one file: the last noun of its path names the
folder below \`server/src/resources\`, the verb names the file.

`

/** The page for a catalogue. */
export function operationsPage(catalogue: readonly Operation[]): string {
  const extensions = catalogue.filter(({ extension }) => extension)
  const contract = catalogue.filter(({ extension }) => !extension)
  const lines = [
    `${contract.length} operations of the [contract](contract/README.md). Credits are charged on success. — means no scope or no event.`,
    '',
    ...table(contract),
    ...(extensions.length === 0 ? [] : ['', '## Beyond the contract', '', ...table(extensions)]),
  ]
  return `${introduction}${lines.join('\n')}\n`
}

function table(operations: readonly Operation[]): string[] {
  return ['| Operation | Method and path | Scope | Credits | Events |', '|---|---|---|---|---|', ...operations.map(row)]
}

function row(operation: Operation): string {
  const { id, method, path, scope, credits, emits } = operation
  const events = emits.map((event) => `\`${event.type}\``).join('<br>')
  return `| \`${id}\` | \`${method} ${path}\` | ${scope === null ? '—' : `\`${scope}\``} | ${credits} | ${events === '' ? '—' : events} |`
}
