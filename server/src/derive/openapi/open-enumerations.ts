/**
 * Enumerations are open in answers: a new value must not break a client (contract/01#open-vocabularies). In requests they
 * are closed, so that a client's checks find a misspelled value. A schema that requests use, too, stays closed.
 */
import type { JsonObject } from './json.ts'
import { reference, type Schemas } from './schemas.ts'

const ref_start = reference('').$ref as string

/** Opens, in place, the enumerations of all that only answers and deliveries use. */
export function openEnumerations(
  paths: Record<string, Record<string, JsonObject>>,
  webhooks: Record<string, unknown>,
  schemas: Schemas,
): void {
  const sent = new Set<string>()
  for (const path of Object.values(paths)) {
    for (const { parameters, requestBody } of Object.values(path)) collect([parameters, requestBody], schemas, sent)
  }
  for (const path of Object.values(paths)) {
    for (const [method, operation] of Object.entries(path)) {
      path[method] = { ...operation, responses: opened(operation.responses) as JsonObject }
    }
  }
  for (const [name, path] of Object.entries(webhooks)) webhooks[name] = opened(path)
  for (const [name, schema] of schemas.named) if (!sent.has(name)) schemas.named.set(name, opened(schema) as JsonObject)
}

/** Adds the names of the components that a value refers to, directly or not. */
function collect(value: unknown, schemas: Schemas, names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref') {
      collect(inner, schemas, names)
      continue
    }
    const name = String(inner).slice(ref_start.length)
    if (!String(inner).startsWith(ref_start) || names.has(name)) continue
    names.add(name)
    collect(schemas.named.get(name), schemas, names)
  }
}

/** The same value with every enumeration of texts as "one of these, or any other text". Examples stay as they are. */
function opened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(opened)
  const { enum: words, type, ...rest } = value as JsonObject
  if (!Array.isArray(words) || !words.some((word) => typeof word === 'string')) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === 'example' || key === 'examples' ? inner : opened(inner),
      ]),
    )
  }
  const texts = words.filter((word) => typeof word === 'string')
  const others = words.length > texts.length ? [{ type: 'null' }] : []
  return { ...rest, anyOf: [{ type: 'string', enum: texts }, { type: 'string' }, ...others] }
}
