/**
 * The document of the reference page: the OpenAPI document with guides and manuals as tags before the operations, and error
 * codes as tags after them, so that one search covers everything. Links lead to the tags; a link without a target on the
 * page becomes plain text.
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

/** Pages that are not tags → their place on the page. */
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
      ...pages.map(({ path, name, text }) => tag(name, relink(path, withoutHeading(text), places))),
      ...tags,
      ...[...errors].map(([code, text]) => tag(code, relink('docs/errors.md', text, places))),
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
 * The paths with one content per media type: the page treats `application/json; profile=…` as `application/json` and would
 * show the dry run's answer instead of the regular one.
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

/** The anchor of a tag on the page. */
function anchorOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^\w\- ]/g, '')
  return `#tag/${words.replaceAll(/[ _]/g, '-')}`
}

/** A link, whose text may contain code, or inline code. */
const link_or_code = /\[((?:`[^`\n]*`|[^\]`])*)\]\(([^)\s#]*)(#[^)\s]*)?\)|`[^`\n]*`/g

/** The text with its links rewritten; code is not changed. */
function relink(path: string, text: string, places: ReadonlyMap<string, string>): string {
  const relinkOne = (whole: string, words: string | undefined, to = '', anchor = '') => {
    if (words === undefined || /^https?:/.test(to)) return whole
    const target = to === '' ? path : posix.normalize(posix.join(posix.dirname(path), to))
    const place = places.get(target + anchor) ?? places.get(target)
    return place === undefined ? words : `[${words}](${place})`
  }
  const parts = text.split(/(^```.*?^```$)/ms)
  return parts.map((part, i) => (i % 2 === 1 ? part : part.replaceAll(link_or_code, relinkOne))).join('')
}
