/** What a field that finds a task sends as filter. */

const key_form = /^[a-z]{2,6}-[1-9]\d{0,15}$/i

export function isKey(words: string): boolean {
  return key_form.test(words)
}

/** Finds a task by its key, which its text does not contain, else by words of its texts; everything for no words. */
export function searchFilter(text: string): { readonly filter?: string } {
  const words = text.trim()
  if (words === '') return {}
  return { filter: isKey(words) ? `key = ${words.toUpperCase()}` : JSON.stringify(words) }
}
