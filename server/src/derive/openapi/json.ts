/** A JSON object of the document. */
export type JsonObject = { readonly [name: string]: unknown }

/** `task_comments` → `TaskComments` */
export function pascal(words: string): string {
  return words
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** `task_comments` → `task comments` */
export function spoken(words: string): string {
  return words.replaceAll('_', ' ')
}

/** The members that are not undefined. */
export function present(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
