/**
 * Masked values that are sent back mean the values that they stand for, which are shown nowhere (contract/16#reruns). A value is never
 * given to another item of a list: where it is unclear to which one a mask belongs, the request is refused.
 */
import { refuse } from '../../../api/declare/errors.ts'
import { isMasked, withoutCredentials } from '../shown-values.ts'

/** `sent`, with the names and values of `known` where it repeats what is shown in their place. `path` names it in refusals. */
export function unmasked<T>(sent: T, shown: unknown, known: unknown, path: string): T {
  if (sent === shown) return known as T
  if (Array.isArray(sent)) return itemsOf(sent, arrayOf(shown), arrayOf(known), path) as T
  if (typeof sent !== 'object' || sent === null) return sent
  const [masks, values] = [objectOf(shown), objectOf(known)]
  const names = new Map(Object.keys(values).map((name) => [withoutCredentials(name), name]))
  const entries = Object.entries(sent).map(([shownName, value]) => {
    const name = names.get(shownName) ?? shownName
    return [name, unmasked(value, masks[shownName], values[name], `${path}.${shownName}`)]
  })
  return Object.fromEntries(entries) as T
}

/** An item is the one that is shown with the same content; a changed one is that at the same place, unless items were moved. */
function itemsOf(sent: readonly unknown[], shown: readonly unknown[], known: readonly unknown[], path: string) {
  const texts = shown.map((item) => JSON.stringify(item))
  if (texts.join() === known.map((item) => JSON.stringify(item)).join()) return sent
  const places = new Map(texts.map((text, i) => [text, texts.indexOf(text) === texts.lastIndexOf(text) ? i : null]))
  const found = sent.map((item) => places.get(JSON.stringify(item)) ?? null)
  return sent.map((item, i) => {
    const place = found[i] ?? (sent.length === shown.length && !found.includes(i) ? i : null)
    const at = `${path}[${i}]`
    if (place !== null) return unmasked(item, shown[place], known[place], at)
    const why =
      sent.length === shown.length
        ? 'the items have another order'
        : `the list has ${sent.length} items instead of ${shown.length}`
    requireNoMask(item, at, why)
    return item
  })
}

function requireNoMask(value: unknown, path: string, why: string): void {
  if (isMasked(value)) {
    const message = `${path} is masked, and ${why}. Send its value, or the item of the list as it is shown.`
    throw refuse('invalid_request_body', { param: path, message })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    requireNoMask(field, Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`, why)
  }
}

const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  // Names of the prototype are no fields.
  const empty = Object.create(null) as Record<string, unknown>
  return typeof value === 'object' && value !== null ? Object.assign(empty, value) : empty
}
