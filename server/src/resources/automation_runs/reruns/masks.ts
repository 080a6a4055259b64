/**
 * Finds values in which `…` stands for a secret, as in what is shown of a run. An ellipsis that a person wrote stands for nothing: it is
 * tried whether a word in its place would be masked.
 */
import { isRecord } from '../../../automations/shape.ts'
import { isMasked, withoutSecretsIn } from '../shown-values.ts'

/** The path of the first value with a mask; null without one. */
export function maskedPlace(value: unknown, path: string): string | null {
  if (typeof value === 'string') return isMasked(value) || hasMaskInText(value) ? path : null
  if (Array.isArray(value)) return firstOf(value.map((item, i) => () => maskedPlace(item, `${path}[${i}]`)))
  if (!isRecord(value)) return null
  return firstOf(
    Object.entries(value).map(
      ([name, field]) =>
        () =>
          maskedPlace(field, `${path}.${name}`),
    ),
  )
}

function firstOf(places: readonly (() => string | null)[]): string | null {
  for (const place of places) {
    const found = place()
    if (found !== null) return found
  }
  return null
}

function hasMaskInText(text: string): boolean {
  const parts = text.split('…')
  if (parts.length === 1) return false
  // Each ellipsis becomes a word of its own; a word that is masked stood for a secret.
  const word = (i: number) => `mask${i}mask`
  const tried = parts.map((part, i) => (i === 0 ? part : `${word(i)}${part}`)).join('')
  const shown = withoutSecretsIn(tried)
  return parts.some((_, i) => i > 0 && !shown.includes(word(i)))
}
