/** Unicode normalization in time linear in the text. */

/** Combining marks in a row that are normalized, as in the Stream-Safe Text Format of UAX 15; letters of no language have as many. */
const marks_max = 30

/** The halfwidth voicing marks become marks in NFKC and NFKD. */
const long_runs = new RegExp(`([\\p{M}\\uff9e\\uff9f]{${marks_max + 1},})`, 'u')

/**
 * The text in a normalization form. More than `marks_max` marks in a row stay as they are: the library sorts them in time quadratic in
 * their number, 13 s for 64 Ki.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (!long_runs.test(text)) return text.normalize(form)
  return text
    .split(long_runs)
    .map((part, i) => (i % 2 === 0 ? part.normalize(form) : part))
    .join('')
}
