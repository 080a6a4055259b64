/** A filter as a part of a sentence. */
import { inSentence, textLanguage } from '../../language/index.ts'
import { chipsOf } from './chips.ts'
import { operatorName, propertyOf, readableText, type Vocabulary, valuesName } from './values.ts'

const and = new Intl.ListFormat(textLanguage(), { type: 'conjunction' })

/** "status is To do and priority is High". What no chip can say stays as text, with names instead of ids. */
export function filterWords(text: string, vocabulary: Vocabulary): string {
  const { chips, advanced } = chipsOf(text)
  const words = chips.map((chip) => {
    const title = inSentence(propertyOf(chip.property, vocabulary).title)
    return `${title} ${operatorName(chip, vocabulary)} ${valuesName(chip, vocabulary)}`.trim()
  })
  return and.format(advanced === '' ? words : [...words, readableText(advanced, vocabulary)])
}
