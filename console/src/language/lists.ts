/** Words in a row, in the language of the texts. */
import { textLanguage } from './index.ts'

function rowOf(type: 'conjunction' | 'disjunction') {
  let language = ''
  let format: Intl.ListFormat
  // The language is chosen after this file is loaded.
  return (words: Iterable<string>): string => {
    if (language !== textLanguage()) {
      language = textLanguage()
      format = new Intl.ListFormat(language, { type })
    }
    return format.format(words)
  }
}

/** "a, b, and c". */
export const allOf = rowOf('conjunction')

/** "a, b, or c". */
export const oneOf = rowOf('disjunction')
