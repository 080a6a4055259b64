/** Entity tags: which answers were given with which, and whether one is still current; decisions §5. */
import type { Asked } from './asked.ts'
import type { Model } from './model.ts'
import { Any, type Expected, type Name } from './names.ts'
import type { Answer } from './operation.ts'

/** Texts of answers that were tagged, by tag; a model has its own. */
const tagged = new WeakMap<Model, Map<Name, string>>()

export function tags(model: Model): Map<Name, string> {
  const known = tagged.get(model)
  if (known !== undefined) return known
  const made = new Map<Name, string>()
  tagged.set(model, made)
  return made
}

/** Tags of answers that a later request may ask about, the youngest last. */
export function tagsOf(model: Model): Name[] {
  return [...tags(model).keys()]
}

export const textOf = ({ operation, params }: Asked, found: Answer): string =>
  JSON.stringify([operation.id === 'organizations.retrieve' ? params : null, found])

export function hasTag(model: Model, asked: Asked, found: Answer): boolean {
  const sent = asked.headers['if-none-match']
  if (sent === undefined) return false
  if (sent === '*') return true
  return sent.split(', ').some((tag) => tags(model).get(tag.replace(/^W\//, '')) === textOf(asked, found))
}

export function isExact(value: Expected): boolean {
  if (value instanceof Any) return false
  if (value === null || typeof value !== 'object') return true
  return Object.values(value).every((inner) => isExact(inner as Expected))
}
