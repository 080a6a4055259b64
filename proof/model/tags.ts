/** Entity tags: which answer had which, and whether it is still current (contract/05#entity-tags). */

import type { Model } from './model.ts'
import type { ModelRequest } from './model-request.ts'
import { Any, type Expected, type Name } from './names.ts'
import type { Answer } from './operation.ts'

/** Tagged answers by tag; each model has its own. */
const tagged = new WeakMap<Model, Map<Name, string>>()

export function tags(model: Model): Map<Name, string> {
  const known = tagged.get(model)
  if (known !== undefined) return known
  const made = new Map<Name, string>()
  tagged.set(model, made)
  return made
}

/** Tags that a later request may send, newest last. */
export function tagsOf(model: Model): Name[] {
  return [...tags(model).keys()]
}

export const textOf = ({ operation, params }: ModelRequest, found: Answer): string =>
  JSON.stringify([operation.id === 'organizations.retrieve' ? params : null, found])

export function hasTag(model: Model, incoming: ModelRequest, found: Answer): boolean {
  const sent = incoming.headers['if-none-match']
  if (sent === undefined) return false
  if (sent === '*') return true
  return sent.split(', ').some((tag) => tags(model).get(tag.replace(/^W\//, '')) === textOf(incoming, found))
}

export function isExact(value: Expected): boolean {
  if (value instanceof Any) return false
  if (value === null || typeof value !== 'object') return true
  return Object.values(value).every((inner) => isExact(inner as Expected))
}
