/** `docs/errors.md`: every error code, and what to do about it. */
import { type ErrorCode, errorKinds } from '../api/errors.ts'
import type { Operation } from '../api/operation.ts'
import { chargeOf, errorGuide } from './error-guide.ts'
import { jsonText } from './json-text.ts'
import { exampleOf } from './openapi/refusals.ts'

const introduction = `# Errors

Made from the catalogue by \`npm run generate\`; do not edit. Every answer that is not a success holds one error:

\`\`\`json
${jsonText(exampleOf('invalid_query_parameter'))}
\`\`\`

Branch on \`code\`, show \`message\` to people, keep \`request_id\` for support. \`param\` names the parameter at fault, in a body by its path
(\`data[3].title\`); \`details\` lists every fault where there are several. Codes may be added: treat one that you do not know by its status.

Retry only what the table says, with the same Idempotency-Key, waiting for \`Retry-After\` where it is sent, then with bounded exponential
back-off and jitter. A success is charged its list price; an error 1 credit or nothing, as the table says; a replayed answer nothing.

`

export function errorsPage(catalogue: readonly Operation[]): string {
  const codes = Object.keys(errorKinds) as ErrorCode[]
  const table = ['| Code | Status | Type | Credits | Retry |', '|---|---|---|---|---|', ...codes.map(row)]
  const sections = [...errorSections(catalogue)].map(([code, text]) => `\n## ${code}\n\n${text}`)
  return `${introduction}${table.join('\n')}\n${sections.join('')}`
}

/** Code → what there is to say of it: its cause, what to do, an example, who answers with it. */
export function errorSections(catalogue: readonly Operation[]): ReadonlyMap<ErrorCode, string> {
  const codes = Object.keys(errorKinds) as ErrorCode[]
  return new Map(codes.map((code) => [code, section(code, catalogue)]))
}

function row(code: ErrorCode): string {
  const { status, type } = errorKinds[code]
  return `| [\`${code}\`](#${code}) | ${status} | \`${type}\` | ${chargeOf(code)} | ${errorGuide[code].retry} |`
}

function section(code: ErrorCode, catalogue: readonly Operation[]): string {
  const { status, type } = errorKinds[code]
  const { meaning, remedy, retry } = errorGuide[code]
  const charged = chargeOf(code) === 0 ? 'Not charged.' : 'Charged 1 credit.'
  return `${status}, \`${type}\`. ${charged} Retry: ${retry}.

**Cause:** ${meaning}

**What to do:** ${remedy}

\`\`\`json
${jsonText(exampleOf(code))}
\`\`\`

**Answered by** ${answeredBy(code, catalogue)}
`
}

const spelled_out_max = 6

/** Which operations can answer with a code, in as few words as are true. */
function answeredBy(code: ErrorCode, catalogue: readonly Operation[]): string {
  const having = catalogue.filter(({ codes }) => codes.has(code))
  const others = catalogue.filter(({ codes }) => !codes.has(code))
  if (others.length === 0) return 'every operation.'
  if (having.length === 0) return 'no operation yet.'
  if (having.length <= spelled_out_max) return `${names(having)}.`
  if (others.length <= spelled_out_max) return `every operation but ${names(others)}.`
  for (const [kind, words] of Object.entries({
    write: 'every write.',
    list: 'every list.',
    read: 'every single read.',
  })) {
    if (having.every((each) => each.kind === kind) && others.every((each) => each.kind !== kind)) return words
  }
  return `${having.length} operations:\n\n<details><summary>Operations</summary>\n\n${names(having)}\n\n</details>`
}

function names(operations: readonly Operation[]): string {
  return operations.map(({ id }) => `\`${id}\``).join(', ')
}
