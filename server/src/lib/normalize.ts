/** Unicode normalization in time linear in the text. */

/**
 * More combining marks in a row than the 30 that are normalized, as in the Stream-Safe Text Format of UAX 15; letters of no language
 * have as many. The halfwidth voicing marks become marks in NFKC and NFKD.
 */
const long_runs = /([\p{M}\uff9e\uff9f]{31,})/u

/**
 * The text in a normalization form. Marks of such a run stay as they are: the library sorts them in time quadratic in
 * their number, 13 s for 64 Ki.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string {
  if (!long_runs.test(text)) return text.normalize(form)
  return text
    .split(long_runs)
    .map((part, i) => (i % 2 === 0 ? part.normalize(form) : part))
    .join('')
}
