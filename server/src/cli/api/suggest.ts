import { nearest } from '../../lib/nearest.ts'

/** ` Did you mean …?`, or nothing. */
export function didYouMean(word: string, names: Iterable<string>, prefix = ''): string {
  const found = nearest(word, names)
  return found === null ? '' : `; did you mean ${prefix}${found}?`
}
