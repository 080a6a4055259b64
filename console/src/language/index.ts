/**
 * The texts of the console in the person's language. A text stands in the code in English and is its own key of the
 * catalogue: `en.json` lists all of them, `de.json` has the German ones, a chunk of its own. The language is chosen before
 * any other module runs (`main.tsx`), so a constant of a module may be a text too; another language loads the page again.
 */
import { type FormatValues, MessageFormatter, pluralTypeHandler } from '@ultraq/icu-message-formatter'
import { createElement, Fragment, type ReactNode } from 'react'

export type Language = 'en' | 'de'
type Catalogue = Readonly<Record<string, string>>

const stored_name = 'atrium.language'
/** What tells two texts apart that are equal in English: `Open@@state`. It is not shown. */
const context_mark = /@@\w+$/

const place = /\{(\w+)\}/g

let chosen: Language = 'en'
let catalogue: Catalogue = {}
let formatter = formatterOf(chosen)

/** A count within a text, `#`, is written with the separators of the language. */
function formatterOf(language: Language): MessageFormatter {
  const number = (value: number) => value.toLocaleString(language)
  return new MessageFormatter(language, { plural: pluralTypeHandler, number })
}

/** The language of the texts on this page. */
export function textLanguage(): Language {
  return chosen
}

/** The language of texts for a person's choice of language; `null`: as the browser has it. */
export function languageOf(preference: string | null): Language {
  return /^de\b/i.test(preference ?? navigator.language) ? 'de' : 'en'
}

/** The text in the language of the page. `{name}` is a value; `{count, plural, one {# task} other {# tasks}}` counts. */
export function t(text: string, values?: Readonly<Record<string, string | number>>): string {
  const found = catalogue[text] ?? text.replace(context_mark, '')
  if (values === undefined) return found
  // Most texts count nothing, and lists draw hundreds of them at once.
  if (!found.includes(', plural,')) return found.replace(place, (all, name: string) => String(values[name] ?? all))
  return partsOf(found, values).join('')
}

/** A word that is made of data, such as a status in words. `values.ts` lists those that the catalogue has. */
export function lookUp(word: string): string {
  return catalogue[word] ?? word
}

/** A text whose values are elements: `rich('Open {link}.', { link: <a …>…</a> })`. */
export function rich(text: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  return createElement(Fragment, null, ...(partsOf(catalogue[text] ?? text, values) as ReactNode[]))
}

/** `MessageFormatter.format` would keep every text with its values in memory. */
function partsOf(text: string, values: FormatValues): unknown[] {
  return formatter.process(text, values).flat(Number.POSITIVE_INFINITY)
}

/** A label within a sentence. German nouns keep their capital. */
export function inSentence(label: string): string {
  return chosen === 'de' ? label : label.toLowerCase()
}

/** Chooses the language that this browser has shown last, and loads its texts. English texts are in the code. */
export async function openLanguage(): Promise<void> {
  const stored = readStored()
  chosen = stored === 'en' || stored === 'de' ? stored : languageOf(null)
  formatter = formatterOf(chosen)
  document.documentElement.lang = chosen
  if (chosen === 'en') return
  try {
    catalogue = (await import('./de.json')).default
  } catch {
    // Without a connection, and not kept: the page in English is better than none.
    document.documentElement.lang = 'en'
  }
}

/** Shows the page in the language that the person has chosen, by loading it again if it is in another one. */
export function followLanguage(preference: string | null): void {
  const wanted = languageOf(preference)
  if (wanted === chosen) return
  try {
    localStorage.setItem(stored_name, wanted)
  } catch {}
  // A browser that keeps nothing would load the page again and again.
  if (readStored() === wanted) location.reload()
}

function readStored(): string | null {
  try {
    return localStorage.getItem(stored_name)
  } catch {
    return null
  }
}
