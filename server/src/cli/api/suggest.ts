import { nearest } from '../../lib/nearest.ts'

/** A second sentence, ` Did you mean …?`; empty if no name is near. */
export function didYouMean(word: string, names: Iterable<string>, prefix = ''): string {
  const found = nearest(word, names)
  return found === null ? '' : ` Did you mean ${prefix}${found}?`
}
