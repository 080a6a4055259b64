/** `docs/events.md`: every event type with its schema, and what emits it. */
import type { EventType } from '../api/event.ts'
import type { Operation } from '../api/operation.ts'
import { limits } from '../lib/limits.ts'
import { areaOf, emittersOf } from './event-types.ts'
import type { RecordedExamples } from './examples.ts'
import { jsonText } from './json-text.ts'
import type { JsonObject } from './openapi/json.ts'
import { Schemas } from './openapi/schemas.ts'
import { eventSchema, summary, verification_type, verificationSchema } from './openapi/webhooks.ts'

const introduction = `# Events

Made from the catalogue by \`npm run generate\`; do not edit.

Whatever changes emits one event for each changed object, in the transaction of the change, named by what happened. \`sequence\` counts an
organization's events of a mode (live or test) without gap in the order of commits; \`commit\` tells which events belong together. \`data.object\` is
what a GET would have answered at that commit, of a deletion the last state before it; \`data.previous_attributes\` holds the changed fields as they were
before, and is \`null\` unless something was changed.

Events are kept for ${limits.event_retention_ms / 86_400_000} days and reach you in three ways: \`GET /v1/events\` lists them, \`GET /v1/events/stream\` sends them as they happen, webhook
endpoints get them signed, at least once. Subscriptions name a type (\`workflow.task.created\`) or a pattern (\`workflow.task.*\`, \`workflow.*\`, \`*\`).
Tolerate types and fields that you do not know. The schemas below share the envelope \`Event\` of [openapi.json](openapi.json).

`

const titles: Readonly<Record<string, string>> = {
  platform: 'Platform',
  whiteboard: 'Whiteboard',
  workflow: 'Work management',
  automation: 'Automations',
}

const envelope = { $ref: 'openapi.json#/components/schemas/Event' }

type Examples = RecordedExamples['events']

export function eventsPage(catalogue: readonly Operation[], types: readonly EventType[], examples: Examples): string {
  const areas = [...new Set(types.map(areaOf))]
  const sections = areas.map((area) => {
    const inArea = types.filter((type) => areaOf(type) === area)
    return `\n## ${titles[area] ?? area}\n${inArea.map((type) => section(catalogue, type, examples[type.type])).join('')}`
  })
  return `${introduction}${table(catalogue, types)}${sections.join('')}${verification(types)}`
}

function table(catalogue: readonly Operation[], types: readonly EventType[]): string {
  const rows = types.map(
    (type) =>
      `| [\`${type.type}\`](#${type.type.replaceAll('.', '')}) | \`${type.noun.object}\` | ${emitters(catalogue, type)} |`,
  )
  return `${types.length} types.\n\n| Type | Object | Emitted by |\n|---|---|---|\n${rows.join('\n')}\n`
}

function emitters(catalogue: readonly Operation[], type: EventType): string {
  const ids = emittersOf(catalogue, type)
  return ids.length === 0 ? 'commands, the console or workers' : ids.map((id) => `\`${id}\``).join(', ')
}

/** The envelope by reference, the object whole. */
function section(catalogue: readonly Operation[], type: EventType, example: object | undefined): string {
  const schema = eventSchema(type, new Schemas([], 'inside'), envelope)
  const text = `${summary(type)}. Emitted by ${emitters(catalogue, type)}.`
  return `${heading(type.type, text, schema)}${example === undefined ? '' : folded('Example', example)}`
}

function verification(types: readonly EventType[]): string {
  if (!types.some(({ noun }) => noun.object === 'webhook_endpoint')) return ''
  const text =
    'Delivered only, unsigned and in no log: asks a URL whether it takes webhooks, before it is accepted and before an endpoint is enabled again. ' +
    'Answer it with 2xx.'
  return `\n## Verification\n${heading(verification_type, text, verificationSchema(new Schemas([], 'inside')))}`
}

function heading(type: string, text: string, schema: JsonObject): string {
  const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema }
  return `\n### ${type}\n\n${text}\n${folded('JSON Schema', whole)}`
}

function folded(title: string, value: object): string {
  return `
<details><summary>${title}</summary>

\`\`\`json
${jsonText(value)}
\`\`\`

</details>
`
}
