/** A filter as a part of a sentence. */
import { inSentence } from '../../language/index.ts'
import { allOf } from '../../language/lists.ts'
import { chipsOf } from './chips.ts'
import { chipName, readableText, type Vocabulary } from './values.ts'

/** "status is To do and priority is High". What no chip can say stays as text, with names instead of ids. */
export function filterWords(text: string, vocabulary: Vocabulary): string {
  const { chips, advanced } = chipsOf(text)
  const words = chips.map((chip) => chipName(chip, vocabulary, inSentence))
  return allOf(advanced === '' ? words : [...words, readableText(advanced, vocabulary)])
}
