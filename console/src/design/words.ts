/** Values of the API in words: `in_progress` reads "In progress", `due_at` reads "Due", `ai_timeout` "AI timeout". */
import { lookUp } from '../language/index.ts'

const names: Readonly<Record<string, string>> = { todo: 'To do' }

/** Written in capitals wherever they stand. */
const acronyms = /\b(?:ai|api|http|https|id|ok|tls|url)\b/g

export function inWords(value: string): string {
  const words = names[value] ?? value.replace(/_at$/, '').replaceAll(/[_.]+/g, ' ').trim()
  return lookUp(capitalized(words.replaceAll(acronyms, (acronym) => acronym.toUpperCase())))
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
