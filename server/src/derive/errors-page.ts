/** `docs/errors.md`: cause, remedy and example of every error code. */
import { type ErrorCode, errorKinds } from '../api/declare/errors.ts'
import type { Operation } from '../api/declare/operation.ts'
import { chargeOf, errorGuide } from './error-guide.ts'
import { jsonText } from './json-text.ts'
import { exampleOf } from './openapi/refusals.ts'

const introduction = `# Errors

Generated from the catalogue by \`npm run generate\`. Do not edit. Every answer that is not a success contains one error:

\`\`\`json
${jsonText(exampleOf('invalid_query_parameter'))}
\`\`\`

Branch on \`code\`, show \`message\` to people, log \`request_id\`. \`param\` names the parameter at fault; in a body it is a path (\`data[3].title\`).
If there are several faults, \`details\` lists them. New codes may be added: handle an unknown code by its status.

Retry only where the table says so, with the same Idempotency-Key: wait for \`Retry-After\` if it is sent, then use bounded exponential
backoff with jitter. A success costs the list price, an error costs the credits in the table, a replayed answer costs nothing.

`

export function errorsPage(catalogue: readonly Operation[]): string {
  const codes = Object.keys(errorKinds) as ErrorCode[]
  const table = ['| Code | Status | Type | Credits | Retry |', '|---|---|---|---|---|', ...codes.map(row)]
  const sections = [...errorSections(catalogue)].map(([code, text]) => `\n## ${code}\n\n${text}`)
  return `${introduction}${table.join('\n')}\n${sections.join('')}`
}

/** Code → its section: cause, remedy, example, operations. */
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

/** The operations that can answer with a code, as briefly as possible. */
function answeredBy(code: ErrorCode, catalogue: readonly Operation[]): string {
  const having = catalogue.filter(({ codes }) => codes.has(code))
  const others = catalogue.filter(({ codes }) => !codes.has(code))
  if (others.length === 0) return 'every operation.'
  if (having.length === 0) return 'no operation.'
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
