/**
 * What the reference page draws: the OpenAPI document, and in it as tags of their own, so that one search finds all of it,
 * the guides and manuals before the operations and every error code behind them. Their links are turned to where the
 * page has what they lead to; one that leads to nothing on the page keeps its words only.
 */
import { posix } from 'node:path'
import type { JsonObject } from './openapi/json.ts'

export interface ReadPage {
  readonly path: string
  readonly name: string
  readonly text: string
}

export interface Readings {
  readonly guides: readonly ReadPage[]
  readonly manuals: readonly ReadPage[]
  /** Code → its section, from `docs/errors.md`. */
  readonly errors: ReadonlyMap<string, string>
}

interface Documented extends JsonObject {
  readonly info: { readonly description: string } & JsonObject
  readonly tags: readonly JsonObject[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly 'x-tagGroups': readonly JsonObject[]
}

interface DocumentedOperation extends JsonObject {
  readonly responses: Readonly<Record<string, Answer>>
}

interface Answer extends JsonObject {
  readonly content?: JsonObject
}

/** Pages that are shown otherwise than as a tag → where. */
const elsewhere: Readonly<Record<string, string>> = {
  'docs/errors.md': '#tag/handling-errors',
  'docs/events.md': '#tag/events',
  'docs/operations.md': '#description/introduction',
  'docs/openapi.json': '/v1/openapi.json',
  'docs/guides/webhook-vectors.json': '/docs/webhook-vectors.json',
}

export function referenceDocument(document: JsonObject, { guides, manuals, errors }: Readings): JsonObject {
  const { info, tags, 'x-tagGroups': groups, paths, ...rest } = document as Documented
  const pages = [...guides, ...manuals]
  const places = new Map([
    ...Object.entries(elsewhere),
    ...pages.map(({ path, name }) => [path, anchorOf(name)] as const),
    ...[...errors.keys()].map((code) => [`docs/errors.md#${code}`, anchorOf(code)] as const),
  ])
  return {
    ...rest,
    paths: withoutVariants(paths),
    info: { ...info, description: `${info.description}\n\nThe document itself: [/v1/openapi.json](/v1/openapi.json).` },
    tags: [
      ...pages.map(({ path, name, text }) => tag(name, turned(path, withoutHeading(text), places))),
      ...tags,
      ...[...errors].map(([code, text]) => tag(code, turned('docs/errors.md', text, places))),
    ],
    'x-tagGroups': [
      { name: 'Guides', tags: guides.map(({ name }) => name) },
      { name: 'Manuals', tags: manuals.map(({ name }) => name) },
      ...groups,
      { name: 'Errors', tags: [...errors.keys()] },
    ],
  }
}

/**
 * The paths with one content for each media type: the page takes `application/json; profile=…` for `application/json`, and
 * would show the answer to a dry run in the place of the other.
 */
function withoutVariants(paths: Documented['paths']): JsonObject {
  return mapped(paths, (methods) =>
    mapped(methods, (operation) => ({ ...operation, responses: mapped(operation.responses, withoutVariant) })),
  )
}

function withoutVariant(answer: Answer): JsonObject {
  if (answer.content === undefined) return answer
  return {
    ...answer,
    content: Object.fromEntries(Object.entries(answer.content).filter(([type]) => !type.includes(';'))),
  }
}

function mapped<T>(object: Readonly<Record<string, T>>, change: (value: T) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

function tag(name: string, description: string): JsonObject {
  return { name, description }
}

function withoutHeading(text: string): string {
  return text.replace(/^# .*\n+/, '')
}

/** Where the page has a tag. */
function anchorOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^\w\- ]/g, '')
  return `#tag/${words.replaceAll(/[ _]/g, '-')}`
}

/** A link, whose words may hold code; or code that stands for itself. */
const link_or_code = /\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s#]*)(#[^)\s]*)?\)|`[^`\n]*`/g

/** The text with its links turned; code is left as it is. */
function turned(path: string, text: string, places: ReadonlyMap<string, string>): string {
  const turn = (whole: string, words: string | undefined, to = '', anchor = '') => {
    if (words === undefined || /^https?:/.test(to)) return whole
    const target = to === '' ? path : posix.normalize(posix.join(posix.dirname(path), to))
    const place = places.get(target + anchor) ?? places.get(target)
    return place === undefined ? words : `[${words}](${place})`
  }
  const parts = text.split(/(^```.*?^```$)/ms)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replaceAll(link_or_code, turn))).join('')
}
