/** `docs/events.md`: every event type with its object and its emitters, and one recorded example per area. */
import type { EventType } from '../api/declare/event.ts'
import type { Operation } from '../api/declare/operation.ts'
import { limits } from '../api/limits.ts'
import { areaOf, emittersOf } from './event-types.ts'
import type { RecordedExamples } from './examples.ts'
import { jsonText } from './json-text.ts'
import { Schemas } from './openapi/schemas.ts'
import { summary, test_type, verification_type } from './openapi/webhooks.ts'

const introduction = `# Events

Generated from the catalogue by \`npm run generate\`. Do not edit.

A write emits one event per changed object, in the transaction of the change. \`type\` names the change.

| Field | Meaning |
|---|---|
| \`sequence\` | Counts the events of an organization and mode (live or test) in commit order, without gaps |
| \`commit\` | Groups the events of one transaction: its id, the event's index and the number of events |
| \`data.object\` | The object as a GET returned it at that commit; for a deletion, its last state; only \`id\` and \`object\` if the reader may not read it |
| \`data.previous_attributes\` | The changed fields with their earlier values; \`null\` if the event is not a change of fields |

Events are kept for ${limits.event_retention_ms / 86_400_000} days. There are three ways to get them:

- \`GET /v1/events\` lists them.
- \`GET /v1/events/stream\` sends them as they are committed.
- Webhook endpoints receive them signed, at least once.

Subscriptions name a type (\`workflow.task.created\`) or a pattern (\`workflow.task.*\`, \`workflow.*\`, \`*\`). Ignore types and fields that you do not know.

Schemas are in [openapi.json](openapi.json): the envelope is \`components.schemas.Event\`, the column *Object* names the schema of \`data.object\` in
\`components.schemas\`, and \`webhooks\` has the full schema of each type with an example.

`

const titles: Readonly<Record<string, string>> = {
  platform: 'Platform',
  whiteboard: 'Whiteboard',
  workflow: 'Work management',
  automation: 'Automations',
}

type Examples = RecordedExamples['events']

export function eventsPage(catalogue: readonly Operation[], types: readonly EventType[], examples: Examples): string {
  const schemas = new Schemas([])
  const areas = [...new Set(types.map(areaOf))]
  const sections = areas.map((area) => {
    const inArea = types.filter((type) => areaOf(type) === area)
    const rows = inArea.map((type) => {
      const object = String(schemas.of(type.noun.schema).$ref).split('/').at(-1)
      return `| \`${type.type}\` | ${summary(type)} | \`${object}\` | ${emitters(catalogue, type)} |\n`
    })
    const example = inArea.map(({ type }) => examples[type]).find((each) => each !== undefined)
    const heading = `\n## ${titles[area] ?? area}\n\n| Type | When | Object | Emitted by |\n|---|---|---|---|\n`
    return `${heading}${rows.join('')}${example === undefined ? '' : `\n\`\`\`json\n${jsonText(example)}\n\`\`\`\n`}`
  })
  return `${introduction}There are ${types.length} types.\n${sections.join('')}${verification(types)}`
}

function emitters(catalogue: readonly Operation[], type: EventType): string {
  const ids = emittersOf(catalogue, type)
  return ids.length === 0 ? 'commands, the console or workers' : ids.map((id) => `\`${id}\``).join(', ')
}

function verification(types: readonly EventType[]): string {
  if (!types.some(({ noun }) => noun.object === 'webhook_endpoint')) return ''
  return (
    `\n## Verification\n\n\`${verification_type}\` asks whether a URL accepts webhooks, before the URL is accepted and before an endpoint is ` +
    'enabled again.\nIt is delivered unsigned and is not in the log. Answer with 2xx.\n' +
    `\n## Test\n\n\`${test_type}\` is sent, signed, when a client tests an endpoint. It is not in the log either.\n`
  )
}
